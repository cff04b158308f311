/** The placeholder for a hidden value. No header can have this value, because it is not ASCII. */
const hidden = '••••••'

export function linesOf(names: readonly string[]): string {
  return names.map((name) => `${name}: ${hidden}`).join('\n')
}

/** Only the changed headers, null for a removed one: a header whose value is still hidden stays as it is. Null if a line is invalid. */
export function headersChange(before: readonly string[], text: string): Record<string, string | null> | null {
  const after = headersIn(text)
  if (after === null) return null
  const gone = before.filter((name) => !(name in after))
  const changed = Object.entries(after).filter(([, value]) => value !== hidden)
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...changed])
}

function headersIn(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {}
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const colon = line.indexOf(':')
    if (colon < 1) return null
    headers[line.slice(0, colon).trim()] = line.slice(colon + 1).trim()
  }
  return headers
}
