import { expected } from '../../../core/errors.ts'
import { textOption } from '../../command.ts'
import type { CommandOptions, Option } from '../../command.ts'

export const headerOption: Option = {
  type: 'string',
  multiple: true,
  value: 'name: value',
  sentence: 'a header for each request to it; may be repeated',
}
export const filterOption: Option = {
  type: 'string',
  value: 'json',
  sentence: 'only payloads that match this filter (docs/payload-filters.md)',
}

/** `--header "x-team: billing"`, as in curl; undefined if not given. */
export function headersIn(options: CommandOptions): Record<string, string> | undefined {
  const given = options['header']
  if (!Array.isArray(given)) return undefined
  return Object.fromEntries(given.map((text) => headerOf(String(text))))
}

function headerOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.trim(), value.trimEnd()]
  // The value may be a credential.
  throw expected('invalid_argument', 'header', 'a name, a colon and a value, such as "x-team: billing"', 'no colon')
}

export function filterIn(options: CommandOptions): unknown {
  const text = textOption(options, 'filter')
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw expected('invalid_argument', 'filter', 'JSON, such as {"path":"data.region","equals":"eu"}', text)
  }
}
