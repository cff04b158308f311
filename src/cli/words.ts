import type { Command, Family } from './command.ts'
import { completion } from './commands/completion.ts'
import { config } from './commands/config.ts'
import { deliveries } from './commands/deliveries.ts'
import { dev } from './commands/dev.ts'
import { dlq } from './commands/dlq.ts'
import { doctor } from './commands/doctor.ts'
import { endpoints } from './commands/endpoints.ts'
import { jobs } from './commands/jobs.ts'
import { keys } from './commands/keys.ts'
import { listen } from './commands/listen.ts'
import { migrate } from './commands/migrate.ts'
import { openapi } from './commands/openapi.ts'
import { send } from './commands/send.ts'
import { serve } from './commands/serve.ts'
import { tail } from './commands/tail.ts'
import { verify } from './commands/verify.ts'
import { worker } from './commands/worker.ts'

/** The words of the command line, as its help shows them. */
export const chapters: readonly { readonly title: string; readonly words: readonly (Command | Family)[] }[] = [
  { title: 'Run it', words: [dev, serve, worker, migrate] },
  { title: 'Send and receive', words: [send, listen, verify] },
  { title: 'Look after it', words: [tail, deliveries, dlq, endpoints, jobs, keys] },
  { title: 'Find out', words: [doctor, config, openapi, completion(() => words)] },
]

export const words: readonly (Command | Family)[] = chapters.flatMap((chapter) => chapter.words)
