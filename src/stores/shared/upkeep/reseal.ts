import { PosthornError } from '../../../core/errors.ts'
import type { Resealed } from '../../../core/ports/ports.ts'
import { keyColumn, resealedValue, sealedColumns, valueOf } from '../rows/sealed-columns.ts'
import type { SealedColumn } from '../rows/sealed-columns.ts'
import { sealedPrefix } from '../secrets.ts'
import type { Vault } from '../secrets.ts'
import type { Database, Executor } from '../sql/database.ts'
import { forUpdate, nothing, sql, table, raw } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

/** Small enough that concurrent writers do not notice. */
const batchRows = 200
const mostNamed = 10

export interface ResealOptions {
  readonly onBatch?: ((progress: Resealed) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Seals every value that is in plaintext or sealed with an older key with the newest key. Each batch is a transaction, and resealed values
 * are not found again: after a kill, the next run continues where this one stopped. Values that no key of the ring can open stay unchanged.
 */
export async function reseal(database: Database, vault: Vault, options: ResealOptions = {}): Promise<Resealed> {
  const { onBatch, signal } = options
  let progress: Resealed = { total: await countStale(database, vault), done: 0, unreadable: 0, endpointIds: [] }
  onBatch?.(progress)
  for (const sealed of sealedColumns) {
    let after: string | null = ''
    while (after !== null && signal?.aborted !== true) {
      const from: string = after
      const batch = await database.transaction((tx) => resealBatch(tx, vault, sealed, from))
      progress = sumOf(progress, batch)
      after = batch.next
      onBatch?.(progress)
    }
  }
  return progress
}

/** How many values are not sealed with the newest key. */
export async function countStale(database: Pick<Database, 'query'>, vault: Vault): Promise<number> {
  let count = 0
  for (const sealed of sealedColumns) {
    const [row] = await database.query(
      sql`select count(*) as count from ${table(sealed.table)} where ${stale(sealed, newestKeyId(vault))}`,
    )
    count += Number(row?.['count'] ?? 0)
  }
  return count
}

interface Batch extends Pick<Resealed, 'done' | 'endpointIds'> {
  /** The key to continue after; null at the end. */
  readonly next: string | null
}

async function resealBatch(tx: Executor, vault: Vault, sealed: SealedColumn, after: string): Promise<Batch> {
  const key = raw(keyColumn(sealed))
  const column = raw(sealed.column)
  const rows = await tx.query(sql`select ${key}, ${raw(sealed.endpoint)} as endpoint, ${raw(sealed.endpoint)}, ${column}
from ${table(sealed.table)}
where ${key} > ${after} and ${stale(sealed, newestKeyId(vault))}
order by ${key}
limit ${batchRows}
${forUpdate}`)
  let done = 0
  const endpointIds: string[] = []
  for (const row of rows) {
    const value = resealedOrNull(vault, sealed, row)
    if (value === null) endpointIds.push(String(row['endpoint']))
    else {
      const id = String(row[keyColumn(sealed)])
      done += await tx.run(sql`update ${table(sealed.table)}
set ${column} = ${value}
where ${key} = ${id} and ${column} = ${valueOf(sealed, row)}`)
    }
  }
  const last = rows.at(-1)
  return {
    done,
    endpointIds,
    next: rows.length < batchRows || last === undefined ? null : String(last[keyColumn(sealed)]),
  }
}

/** Values that are present and not sealed with the newest key. */
function stale({ column, blank }: SealedColumn, keyId: string): Sql {
  const prefix = sealedPrefix(keyId)
  const isThere = blank === null ? nothing : sql` and ${raw(column)} <> ${blank}`
  return sql`substr(${raw(column)}, 1, ${raw(String(prefix.length))}) <> ${prefix}${isThere}`
}

/** Null for values that no key can open, or that were changed by hand. */
function resealedOrNull(vault: Vault, sealed: SealedColumn, row: Parameters<typeof resealedValue>[2]): string | null {
  try {
    return resealedValue(vault, sealed, row)
  } catch (thrown) {
    if (thrown instanceof PosthornError && thrown.code === 'secrets_unreadable') return null
    throw thrown
  }
}

function sumOf(before: Resealed, { done, endpointIds }: Batch): Resealed {
  return {
    ...before,
    done: before.done + done,
    unreadable: before.unreadable + endpointIds.length,
    endpointIds: [...new Set([...before.endpointIds, ...endpointIds])].slice(0, mostNamed),
  }
}

function newestKeyId({ keyId }: Vault): string {
  if (keyId !== null) return keyId
  throw new PosthornError(
    'wrong_state',
    'Expected a key to seal with, got `plaintextSecrets`, which stores secrets as they are. Leave it out, and give `secretsKey`.',
  )
}
