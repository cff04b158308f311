// The pages of docs/reference, by file name.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cliPage } from './cli-page.js'
import { errorsPage } from './errors-page.js'
import { eventsPage } from './events-page.js'
import { httpApiPage } from './http-api-page.js'

/** Where the types of events' fields are defined. */
const besideEvents = ['core/delivery/attempt.ts', 'core/delivery/delivery.ts', 'core/alarms/signals.ts']

export function referencePages({ root, sections, overview, document }) {
  const source = (path) => readFileSync(join(root, 'src', path), 'utf8')
  return {
    'cli.md': cliPage(sections, overview),
    'errors.md': errorsPage(source('core/errors.ts'), source('server/errors/error-response.ts')),
    'events.md': eventsPage(source('core/ports/events.ts'), besideEvents.map(source).join('\n')),
    'http-api.md': httpApiPage(document),
  }
}
