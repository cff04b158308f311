import { createHash } from 'node:crypto'

// An independent comparison of every row of every table, because the copy's own comparison is what is being checked.

const sealed = new Set(['sealed', 'headers', 'authentication'])

/** Describes the tables in which the two databases differ; empty if every row is the same. Sealed values differ: the receiver checks those. */
export async function differences(file, target, { copyRules }) {
  const found = []
  for (const [name, rule] of Object.entries(copyRules)) {
    if (rule.kind !== 'copied') continue
    const before = digests(
      file.prepare(`select * from ${name === 'webhook_deliveries' ? name : `posthorn_${name}`}`).iterate(),
    )
    const { rows } = await target.query(`select * from ${name}`)
    const after = digests(rows)
    const missing = [...before].filter((row) => !after.has(row)).length
    const added = [...after].filter((row) => !before.has(row)).length
    if (missing + added > 0)
      found.push(`${name}: ${missing} of ${before.size} rows are not in the target, ${added} only there`)
  }
  return found
}

function digests(rows) {
  const all = new Set()
  for (const row of rows) all.add(createHash('sha256').update(textOf(row)).digest('base64'))
  return all
}

function textOf(row) {
  return Object.entries(row)
    .filter(([column]) => !sealed.has(column))
    .map(
      ([column, value]) => `${column}=${value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value}`,
    )
    .toSorted()
    .join('\n')
}
