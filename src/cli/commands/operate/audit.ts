import { exit, textOption } from '../../command.ts'
import type { Command, CommandOptions } from '../../command.ts'
import { apiCommand } from '../../http-api/api-command.ts'
import type { ApiCall } from '../../http-api/api-command.ts'
import type { Query } from '../../http-api/api-client.ts'
import { pageOptions, pageQuery, timeOf } from '../../http-api/filters.ts'
import type { AuditResponse, Listed } from '../../http-api/responses.ts'
import { columns } from '../../view/columns.ts'
import { screenOf } from '../../view/paint.ts'
import type { Screen } from '../../view/paint.ts'

const pageRows = '250'

export const audit: Command = apiCommand({
  name: 'audit',
  summary: 'shows who did what, from where, and what it changed, newest first',
  text: ['With --json it prints every entry that matches, one per line, however many there are.'],
  options: {
    actor: { type: 'string', value: 'name', sentence: 'only what this key or user did, by name or id of the key' },
    action: { type: 'string', value: 'word', sentence: 'only this, such as endpoint.update or session.refuse' },
    target: { type: 'string', value: 'id', sentence: 'only what was done to this' },
    application: { type: 'string', value: 'id', sentence: 'only what concerns this application, by id or uid' },
    since: {
      type: 'string',
      value: 'time',
      sentence: 'only what was done since: 2026-01-31T12:00Z, or 2h, 30m, 7d ago',
    },
    until: { type: 'string', value: 'time', sentence: 'only what was done before' },
    ...pageOptions,
  },
  examples: ['audit --action reveal --since 30d', 'audit --application acme --json > audit.jsonl'],
  run: (call) => (call.options['json'] === true ? exportAll(call) : showPage(call)),
})

async function showPage({ client, options, terminal }: ApiCall): Promise<number> {
  const query = { ...filterOf(options), ...pageQuery(options) }
  const page = await client.request<Listed<AuditResponse>>('GET', '/audit', { query })
  terminal.output.write(page.data.length === 0 ? 'no entries\n' : `${tableOf(page.data, screenOf(terminal.output))}\n`)
  if (!page.done && page.iterator !== null) terminal.say(`There are more: --iterator ${page.iterator}`)
  return exit.ok
}

/** Page by page, so that a log of any length works; with --limit no more than that. */
async function exportAll({ client, options, terminal }: ApiCall): Promise<number> {
  const { limit = pageRows, iterator: from } = pageQuery(options)
  for (let iterator = from; !terminal.interrupted.aborted;) {
    const query = { ...filterOf(options), limit, iterator }
    const page = await client.request<Listed<AuditResponse>>('GET', '/audit', { query })
    for (const entry of page.data) terminal.output.write(`${JSON.stringify(entry)}\n`)
    if (page.done || page.iterator === null || options['limit'] !== undefined) return exit.ok
    iterator = page.iterator
  }
  return exit.interrupted
}

function filterOf(options: CommandOptions): Query {
  const time = (name: string): string | undefined => {
    const given = textOption(options, name)
    return given === undefined ? undefined : timeOf(given, name)
  }
  const text = (name: string): string | undefined => textOption(options, name)
  const names = { actor: text('actor'), action: text('action'), target: text('target') }
  return { ...names, application: text('application'), since: time('since'), until: time('until') }
}

function tableOf(entries: readonly AuditResponse[], screen: Screen): string {
  return columns(
    ['TIME', 'WHO', 'FROM', 'ACTION', 'TARGET', 'WHAT AND WHY'],
    entries.map((entry) => [
      entry.at,
      entry.actor,
      entry.from ?? '-',
      entry.count > 1 ? `${entry.action} × ${entry.count}` : entry.action,
      entry.target,
      whatAndWhy(entry),
    ]),
    screen,
  )
}

/** `url: https://a.example → https://b.example; "moved"` */
function whatAndWhy({ before, after, reason }: AuditResponse): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const changes = names.map((name) => `${name}: ${valueIn(before, name)} → ${valueIn(after, name)}`)
  return [...(before === null || after === null ? [] : changes), ...(reason === null ? [] : [`"${reason}"`])].join('; ')
}

function valueIn(fields: AuditResponse['before'], name: string): string {
  const value = fields?.[name]
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '-')
}
