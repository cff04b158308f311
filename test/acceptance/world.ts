import { Posthorn } from 'posthorn'
import type { Endpoint, PosthornEvent, PosthornOptions, Random, Store } from 'posthorn'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { receiver } from '../../src/testing/receiver.ts'
import type { Receiver } from '../../src/testing/receiver.ts'
import { expect, onTestFinished } from 'vitest'
import { makeId } from '../../src/core/ids.ts'
import { countedStore } from './counted-store.ts'
import type { Database, OpenDatabase, Row } from './databases.ts'

/** One Posthorn on a real database, with a real receiver on loopback, a clock that stands still and no luck (midpoint). */
export interface World {
  readonly database: OpenDatabase
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
  /** Lets hours pass in one step, without the thousands of cycles in between; whatever is due by then is sent then. */
  leap(ms: number): Promise<void>
  /** Another Posthorn on the same store object: a second engine in this process. */
  second(options?: WorldOptions): Posthorn
}

type WorldOptions = Partial<PosthornOptions> & { readonly clock?: ManualClock }

const pollMs = 5_000

/** Makes a world that is not started yet; it is torn down when the test ends. `wrap` may put something around its store. */
export async function makeWorld(
  kind: Database,
  options: WorldOptions = {},
  wrap: (store: Store) => Store = (store) => store,
): Promise<World> {
  const database = await kind.open()
  const { query } = database
  const clock = options.clock ?? manualClock()
  const local = await receiver()
  const counted = countedStore(options.store ?? database.store())
  clock.attend(counted.underWay)
  const store = wrap(counted.store)
  const common = { random: noLuck(), allowedTargets: ['127.0.0.0/8', '*.test'], clock }
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
    database,
    posthorn,
    clock,
    receiver: local,
    endpoint,
    events,
    query,
    rows,
    heard: (type) =>
      events.filter((event): event is Extract<PosthornEvent, { type: typeof type }> => event.type === type),
    async insert(row = {}) {
      const now = clock.now()
      const messageId = makeId('msg', now, Math.random)
      await query(
        'insert into posthorn_messages (id, application_id, type, body, created_at) values (?, ?, ?, ?, ?)',
        messageId,
        endpoint.applicationId,
        'invoice.paid',
        '{"id":7}',
        now,
      )
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
      await query(
        `insert into webhook_deliveries (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
        ...Object.values(full),
      )
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
    async leap(ms) {
      await clock.leap(ms)
      await posthorn.idle()
    },
    second(more = {}) {
      more.clock?.attend(counted.underWay)
      // Chance of its own: two workers with the same luck would have the same name.
      const other = new Posthorn({ ...common, ...options, random: seededRandom(2), ...more, store })
      onTestFinished(() => other.stop({ graceMs: 0 }).catch(() => undefined))
      return other
    },
  }
}

/** The midpoint, so that no jitter shows, and yet no two ids of one instant are alike. */
function noLuck(): Random {
  let turn = 0
  return () => {
    turn += 1
    return 0.5 + turn * 2 ** -50
  }
}

/** Lets time pass until a delivery is dead: the seconds from each failure to its retry. Each leaves on its tick, not before. */
export async function waitsUntilDead(world: World, id: string): Promise<number[]> {
  const waits: number[] = []
  for (let row = await world.row(id); row['status'] !== 'dead'; row = await world.row(id)) {
    const dueAt = Number(row['next_retry_at'])
    waits.push((dueAt - Number(row['last_attempted_at'])) / 1_000)
    const sent = world.receiver.count
    await world.leap(dueAt - pollMs - world.clock.now())
    await world.poll(pollMs - 1)
    expect(world.receiver.count).toBe(sent)
    await world.poll(1)
    expect(world.receiver.count).toBe(sent + 1)
  }
  return waits
}

/** Something to wait at until the test opens it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const keys: (() => void)[] = []
  const opened = new Promise<void>((resolve) => void keys.push(resolve))
  return { opened, open: () => keys.forEach((turn) => turn()) }
}
