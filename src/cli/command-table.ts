import type { Command, CommandGroup } from './command.ts'
import { completion } from './commands/inspect/completion.ts'
import { config } from './commands/inspect/config.ts'
import { doctor } from './commands/inspect/doctor.ts'
import { openapi } from './commands/inspect/openapi.ts'
import { messages } from './commands/messages/messages.ts'
import { listen } from './commands/messages/listen.ts'
import { send } from './commands/messages/send.ts'
import { verify } from './commands/messages/verify.ts'
import { backup, restore } from './commands/move/backup.ts'
import { copy } from './commands/move/copy.ts'
import { importFrom } from './commands/move/import.ts'
import { alarms } from './commands/operate/alarms.ts'
import { applications } from './commands/operate/applications.ts'
import { audit } from './commands/operate/audit.ts'
import { deliveries } from './commands/operate/deliveries.ts'
import { dlq } from './commands/operate/dlq.ts'
import { endpoints } from './commands/operate/endpoints.ts'
import { jobs } from './commands/operate/jobs.ts'
import { keys } from './commands/operate/keys.ts'
import { tail } from './commands/operate/tail.ts'
import { dev } from './commands/run/dev.ts'
import { migrate } from './commands/run/migrate.ts'
import { secrets } from './commands/run/secrets.ts'
import { serve } from './commands/run/serve.ts'
import { worker } from './commands/run/worker.ts'

/** All commands, in the sections of the help. */
export const sections: readonly { readonly title: string; readonly commands: readonly (Command | CommandGroup)[] }[] = [
  { title: 'Run it', commands: [dev, serve, worker, migrate, secrets] },
  { title: 'Send and receive', commands: [send, listen, verify] },
  {
    title: 'Look after it',
    commands: [tail, alarms, messages, deliveries, dlq, endpoints, applications, jobs, keys, audit],
  },
  { title: 'Move it', commands: [backup, restore, copy, importFrom] },
  { title: 'Find out', commands: [doctor, config, openapi, completion(() => commands)] },
]

export const commands: readonly (Command | CommandGroup)[] = sections.flatMap((section) => section.commands)
