import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Posthorn } from 'posthorn'
import type { Endpoint, PosthornEvent, PosthornOptions, Store } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { midpoint } from '../../src/testing/seeded-random.ts'
import { receiver } from '../../src/testing/receiver.ts'
import type { Receiver } from '../../src/testing/receiver.ts'
import { onTestFinished } from 'vitest'
import { makeId } from '../../src/core/ids.ts'

/** A row of `webhook_deliveries` as plain SQL gives it. */
export type Row = Record<string, string | number | null>

/** A database that every acceptance test runs on. `query` is another connection: rows are set up and compared by plain SQL. */
export interface Database {
  readonly name: string
  open(): Promise<{ store: () => Store; query: (sql: string, ...values: (string | number | null)[]) => Promise<Row[]> }>
}

export const databases: readonly Database[] = [
  {
    name: 'sqlite',
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'posthorn-'))
      const file = join(folder, 'webhooks.db')
      let other: InstanceType<typeof DatabaseSync> | null = null
      onTestFinished(() => {
        other?.close()
        rmSync(folder, { recursive: true, force: true })
      })
      return {
        store: () => sqlite(file, { plaintextSecrets: true }),
        async query(sql, ...values) {
          other ??= new DatabaseSync(file)
          return other.prepare(sql).all(...values) as Row[]
        },
      }
    },
  },
]

/** One Posthorn on a real database, with a real receiver on loopback, a clock that stands still and no luck (midpoint). */
export interface World {
  readonly posthorn: Posthorn
  readonly clock: ManualClock
  readonly receiver: Receiver
  /** An endpoint at the receiver's `/hook`. */
  readonly endpoint: Endpoint
  readonly events: PosthornEvent[]
  heard<Type extends PosthornEvent['type']>(type: Type): Extract<PosthornEvent, { type: Type }>[]
  query(sql: string, ...values: (string | number | null)[]): Promise<Row[]>
  /** Inserts a message and a delivery by plain SQL; due now unless said otherwise. Returns the delivery's id. */
  insert(row?: Row): Promise<string>
  row(id: string): Promise<Row>
  /** Every delivery, every column, in id order. */
  rows(): Promise<Row[]>
  /** Starts, and waits until the first cycle and all it sent are done. */
  start(): Promise<void>
  /** Moves time by one poll interval (or the given time), and waits until everything it caused is done. */
  poll(ms?: number): Promise<void>
  /** Another Posthorn on the same store object: a second engine in this process. */
  second(options?: Partial<PosthornOptions>): Posthorn
}

const pollMs = 5_000

/** Makes a world that is not started yet; it is torn down when the test ends. */
export async function makeWorld(database: Database, options: Partial<PosthornOptions> = {}): Promise<World> {
  const { store: open, query } = await database.open()
  const clock = manualClock()
  const local = await receiver()
  const store = options.store ?? open()
  const common = { random: midpoint, allowedTargets: ['127.0.0.0/8', '*.test'], clock }
  const posthorn = new Posthorn({ ...common, ...options, store })
  const events: PosthornEvent[] = []
  posthorn.on('*', (event) => events.push(event))
  onTestFinished(async () => {
    await posthorn.stop({ graceMs: 0 }).catch(() => undefined)
    await local.close()
  })
  const endpoint = await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })

  async function rows(): Promise<Row[]> {
    return query('select * from webhook_deliveries order by id')
  }

  return {
    posthorn,
    clock,
    receiver: local,
    endpoint,
    events,
    query,
    rows,
    heard: (type) => events.filter((event): event is Extract<PosthornEvent, { type: typeof type }> => event.type === type),
    async insert(row = {}) {
      const now = clock.now()
      const messageId = makeId('msg', now, Math.random)
      await query('insert into posthorn_messages (id, application_id, type, body, created_at) values (?, ?, ?, ?, ?)', messageId, endpoint.applicationId, 'invoice.paid', '{"id":7}', now)
      const full: Row = {
        id: makeId('dlv', now, Math.random),
        webhook_id: endpoint.id,
        application_id: endpoint.applicationId,
        message_id: messageId,
        event_type: 'invoice.paid',
        session_id: 'session-1',
        target_url: endpoint.url,
        policy: endpoint.policy,
        next_retry_at: now,
        created_at: now,
        updated_at: now,
        ...row,
      }
      const names = Object.keys(full)
      await query(`insert into webhook_deliveries (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`, ...Object.values(full))
      return String(full['id'])
    },
    async row(id) {
      const [row] = await query('select * from webhook_deliveries where id = ?', id)
      if (row === undefined) throw new Error(`no delivery ${id}`)
      return row
    },
    async start() {
      await posthorn.start()
      await posthorn.idle()
    },
    async poll(ms = pollMs) {
      await clock.advance(ms)
      await posthorn.idle()
    },
    second: (more = {}) => new Posthorn({ ...common, ...options, ...more, store }),
  }
}
