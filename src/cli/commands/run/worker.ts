import type { Command } from '../../command.ts'

export const worker: Command = {
  name: 'worker',
  summary: 'delivers from a database until it is stopped; start as many as you like on PostgreSQL',
  help: [
    'Usage: posthorn worker [--database url]',
    '',
    'Delivers what is due in a database: sqlite:path, or postgres://user:password@host:port/database.',
    'On PostgreSQL any number of workers may run side by side, on any number of machines.',
    '',
    '  --database <url>    the database (default: POSTHORN_DATABASE_URL)',
    '',
    'All settings of the environment apply. The first SIGTERM or Ctrl-C lets attempts under way end',
    '(for up to POSTHORN_SHUTDOWN_GRACE_MS), a second one leaves at once; then other workers take over',
    'when the leases have run out. The log goes to stderr, one line per event.',
    '',
    'With POSTHORN_METRICS_PORT it answers GET /metrics (for Prometheus), /livez and /readyz on that port.',
    'Once a later release has migrated the database, the worker finishes what is under way and exits with 0.',
  ].join('\n'),
  options: { database: { type: 'string' } },
  run: async (options, terminal) => (await import('../../processes/worker.ts')).work(options, terminal),
}
