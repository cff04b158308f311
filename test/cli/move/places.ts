import { sealedColumns } from '../../../src/stores/shared/rows/sealed-columns.ts'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { onTestFinished } from 'vitest'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import type { Store } from '../../../src/core/ports/ports.ts'
import { copiedTables } from '../../../src/stores/move/tables.ts'
import type { TestSchema } from '../../postgres.ts'
import { freshSchema } from '../../postgres.ts'
import { temporaryFolder } from '../folder.ts'

export const targetKey = Buffer.alloc(32, 9).toString('base64')

/** A SQLite file with something in every table that is copied, two deliveries under a lease among them, and no engine. */
export interface SourceFile {
  readonly file: string
  readonly url: string
  readonly endpointId: string
  readonly secret: string
  /** Runs SQL as a person would with `sqlite3`. */
  exec(sql: string): void
  rows(sql: string): Record<string, unknown>[]
  store(): Store
}

export async function sourceFile(deliveries = 5): Promise<SourceFile> {
  const file = join(await temporaryFolder(), 'posthorn.db')
  const posthorn = new Posthorn({ store: sqlite(file), allowedTargets: ['127.0.0.0/8'] })
  const { id: endpointId, secrets } = await posthorn.endpoints.create({
    application: 'acme',
    uid: 'till',
    url: 'http://127.0.0.1:9/hooks',
    headers: { 'x-shop': 'nord' },
  })
  await posthorn.endpoints.rotateSecret(endpointId, {})
  await posthorn.endpoints.pause(endpointId, { by: 'the test' })
  await posthorn.eventTypes.create({ name: 'invoice.paid', description: 'paid' })
  await posthorn.keys.create({ name: 'ops', access: 'read' })
  const messages = Array.from({ length: deliveries }, (_, index) => ({
    application: 'acme',
    type: 'invoice.paid',
    data: { index, text: 'ä€😀' },
  }))
  await posthorn.send(messages)
  await posthorn.send({
    application: 'acme',
    type: 'invoice.paid',
    data: { once: true },
    idempotencyKey: 'only-once',
    payloadRetentionDays: 30,
  })
  const secret = (await posthorn.endpoints.get(endpointId)).secrets[0]?.value ?? secrets[0]?.value ?? ''
  await posthorn.stop()
  const place = { file, url: `sqlite:${file}`, endpointId, secret, ...handsOn(file), store: () => sqlite(file) }
  fillRest(place)
  return place
}

function handsOn(file: string): Pick<SourceFile, 'exec' | 'rows'> {
  function using<Result>(work: (database: InstanceType<typeof DatabaseSync>) => Result): Result {
    const database = new DatabaseSync(file)
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    exec: (sql) => using((database) => database.exec(sql)),
    rows: (sql) => using((database) => database.prepare(sql).all() as Record<string, unknown>[]),
  }
}

/** What the API does not leave behind by itself, and leases of a worker that was killed. */
function fillRest({ exec, endpointId }: Pick<SourceFile, 'exec' | 'endpointId'>): void {
  const now = Date.now()
  exec(`update webhook_deliveries set lease_owner = 'gone', lease_until = ${now + 20_000}, lease_epoch = 3
where id in (select id from webhook_deliveries order by id limit 2)`)
  exec(`insert into posthorn_attempts (delivery_id, epoch, started_at, took_ms, outcome, status_code, excerpt, url)
select id, 2, ${now}, 12, 'status', 500, 'no', 'http://127.0.0.1:9/hooks' from webhook_deliveries order by id limit 2`)
  exec(
    `insert or ignore into posthorn_endpoint_health (endpoint_id, failures, held_until) values ('${endpointId}', 2, ${now + 60_000})`,
  )
  exec(
    `insert into posthorn_endpoint_minutes (minute, endpoint_id, delivered) values (${now - (now % 60_000)}, '${endpointId}', 4)`,
  )
  exec(`insert into posthorn_rate_limits (id, tokens, at) values ('${endpointId}', 0.125, ${now})`)
  exec(`insert into posthorn_replies (key, request_hash, expires_at) values ('once', 'hash', ${now + 60_000})`)
  exec(
    `insert into posthorn_jobs (id, action, filter, actor, created_at, updated_at) values ('job_x', 'requeue', '{}', 'ada', ${now}, ${now})`,
  )
  exec(`insert into posthorn_erasures (application_id, job_id) values ('app_gone', 'job_x')`)
  exec(`insert into posthorn_alarms (id, signal) values ('backlog', 'backlog')`)
}

/** An empty place on PostgreSQL, and how commands are told of it. */
export interface TargetSchema extends TestSchema {
  readonly environment: Readonly<Record<string, string>>
  store(): Store
}

export function targetSchema(): TargetSchema {
  const place = freshSchema()
  onTestFinished(place.drop)
  return {
    ...place,
    environment: { POSTHORN_DATABASE_URL: place.url, POSTHORN_SCHEMA: place.schema, POSTHORN_SECRETS_KEY: targetKey },
    store: () => postgres(place.url, { schema: place.schema, secretsKey: targetKey }),
  }
}

const isSealed = (name: string): boolean => sealedColumns.some(({ column }) => column === name)

/** Every row of every copied table, but for what is sealed, as both databases can say it. */
export async function allRows(
  query: (sql: string) => Promise<Record<string, unknown>[]> | Record<string, unknown>[],
  tableName: (name: string) => string,
): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const { name } of copiedTables) {
    const rows = await query(`select * from ${tableName(name)}`)
    found[name] = rows.map(comparable).toSorted()
  }
  return found
}

function comparable(row: Record<string, unknown>): string {
  const entries = Object.entries(row)
    .filter(([column]) => !isSealed(column))
    .map(([column, value]) => [column, value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value])
  return JSON.stringify(
    Object.fromEntries(entries.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))),
  )
}

export const inFile = (name: string): string => (name === 'webhook_deliveries' ? name : `posthorn_${name}`)
