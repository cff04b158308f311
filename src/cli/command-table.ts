import type { Command, Family } from './command.ts'
import { completion } from './commands/inspect/completion.ts'
import { config } from './commands/inspect/config.ts'
import { deliveries } from './commands/operate/deliveries.ts'
import { dev } from './commands/run/dev.ts'
import { dlq } from './commands/operate/dlq.ts'
import { doctor } from './commands/inspect/doctor.ts'
import { endpoints } from './commands/operate/endpoints.ts'
import { jobs } from './commands/operate/jobs.ts'
import { keys } from './commands/operate/keys.ts'
import { listen } from './commands/messages/listen.ts'
import { migrate } from './commands/run/migrate.ts'
import { openapi } from './commands/inspect/openapi.ts'
import { send } from './commands/messages/send.ts'
import { serve } from './commands/run/serve.ts'
import { tail } from './commands/operate/tail.ts'
import { verify } from './commands/messages/verify.ts'
import { worker } from './commands/run/worker.ts'

/** The words of the command line, as its help shows them. */
export const chapters: readonly { readonly title: string; readonly words: readonly (Command | Family)[] }[] = [
  { title: 'Run it', words: [dev, serve, worker, migrate] },
  { title: 'Send and receive', words: [send, listen, verify] },
  { title: 'Look after it', words: [tail, deliveries, dlq, endpoints, jobs, keys] },
  { title: 'Find out', words: [doctor, config, openapi, completion(() => words)] },
]

export const words: readonly (Command | Family)[] = chapters.flatMap((chapter) => chapter.words)
