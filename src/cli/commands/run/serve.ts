import type { Command } from '../../command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'serves dashboard and HTTP API, and delivers',
  help: [
    'Usage: posthorn serve [--database url] [--no-worker]',
    '',
    'Serves the dashboard at / and the HTTP API at /api on POSTHORN_HOST (127.0.0.1) and POSTHORN_PORT (8071),',
    'and delivers what it is given.',
    'The first start creates an API key and shows it once, unless POSTHORN_ADMIN_KEY gives one.',
    '',
    '  --database <url>    sqlite:path, or postgres://user:password@host:port/database;',
    '                      (default: POSTHORN_DATABASE_URL, or sqlite:posthorn.db)',
    '  --no-worker         only answers: "posthorn worker" delivers, elsewhere',
    '',
    'GET /metrics is for Prometheus, with a key that may read everything; POSTHORN_METRICS_PORT gives it a separate port.',
    'GET /livez and /readyz say whether it is alive and ready for requests. The first SIGTERM or Ctrl-C lets',
    'requests and attempts under way end (for up to POSTHORN_SHUTDOWN_GRACE_MS), a second one leaves at once.',
  ].join('\n'),
  options: { database: { type: 'string' }, 'no-worker': { type: 'boolean' } },
  // Loaded only now: other commands need not wait for the server.
  run: async (options, terminal) => (await import('../../processes/serve.ts')).serve(options, terminal),
}
