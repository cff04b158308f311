import type { Command } from '../../command.ts'
import { sampleEndpoints } from '../../dev/sample-endpoints.ts'

export const dev: Command = {
  name: 'dev',
  summary: 'delivers samples to a receiver that misbehaves, and shows it live; needs nothing',
  help: [
    'Usage: posthorn dev [--once] [--database url]',
    '',
    'Starts the server on a temporary database and a local receiver, sends 20 samples, and shows',
    'deliveries, retries and dead letters as they happen. The receiver has these paths:',
    '',
    ...sampleEndpoints.map(({ name, sentence }) => `  /${name.padEnd(9)}${sentence}`),
    '',
    '  --once              ends when all samples have ended; exits with 1 if one was lost;',
    '                      without dashboard and HTTP API',
    '  --database <url>    delivers from this database instead, without samples;',
    '                      so does POSTHORN_DATABASE_URL',
    '',
    'The dashboard is at http://127.0.0.1:8071/, the HTTP API at /api; from this machine neither needs a key unless',
    'POSTHORN_ADMIN_KEY is set. All settings of the environment apply. Ctrl-C ends in order, a second one at once.',
  ].join('\n'),
  options: { once: { type: 'boolean' }, database: { type: 'string' } },
  run: async (options, terminal) => (await import('../../dev/run.ts')).runDev(options, terminal),
}
