import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorsPage } from '../../scripts/reference/errors-page.js'
import { eventsIn, eventsPage } from '../../scripts/reference/events-page.js'
import { referencePages } from '../../scripts/reference/pages.js'
import { commands, sections } from '../../src/cli/command-table.ts'
import { overviewHelp } from '../../src/cli/overview-help.ts'
import { openApi } from '../../src/server/openapi/document.ts'
import { operations } from '../../src/server/operations.ts'
import { root } from '../acceptance/files.ts'

const pages = referencePages({ root, sections, overview: overviewHelp(), document: openApi(operations, '') })
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

test.each(Object.keys(pages))('docs/reference/%s is what the code says; npm run docs writes it', (name) => {
  expect(textOf(`docs/reference/${name}`)).toBe(pages[name])
})

test('the pages have every command, every call and every event', () => {
  for (const { name } of commands) expect(pages['cli.md']).toContain(`### posthorn ${name}\n`)
  for (const { method, path } of operations)
    expect(pages['http-api.md']).toContain(`| \`${method.toUpperCase()} ${path}\` |`)
  const events = eventsIn(textOf('src/core/ports/events.ts'))
  const [, table = ''] = /const eventTypes.*= \{\n([\s\S]*?)\n\}/.exec(textOf('src/core/ports/events.ts')) ?? []
  expect(events.map(({ type }) => type)).toEqual(
    [...table.matchAll(/^ {2}'?([\w.]+)'?: true/gm)].map(([, type]) => type),
  )
  const failed = events.find(({ type }) => type === 'delivery.failed')
  expect(failed?.fields.map(({ name }) => name)).toEqual([
    'webhook_delivery_id',
    'webhook_id',
    'message_id',
    'session_id',
    'event_type',
    'attempt_count',
    'status_code',
    'took_ms',
    'outcome',
    'error_detail',
    'next_retry_at',
  ])
})

test('a new event or error without a sentence is refused by name', () => {
  const source = textOf('src/core/ports/events.ts').replace("type: 'breaker.closed'", "type: 'breaker.melted'")
  expect(() => eventsPage(source, '')).toThrow('the event breaker.melted')
  const errors = textOf('src/core/errors.ts').replace("| 'stopped'", "| 'stopped'\n  | 'melted'")
  expect(() => errorsPage(errors, '')).toThrow('the error melted')
})
