import type { PosthornOptions } from 'posthorn'
import type { LeaseRequest } from '../../src/core/ports/queue.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { watch } from '../engine/watched-store.ts'
import type { WatchedStore } from '../engine/watched-store.ts'
import type { Database, Row } from './databases.ts'
import { makeWorld } from './world.ts'
import type { World } from './world.ts'

export const leaseMs = 30_000
export const beatMs = leaseMs / 3

/** A world that can keep a request open, and look at it meanwhile. */
export interface HeldWorld extends World {
  /** Inserts a row, starts if need be, and waits until its request is open at the receiver. */
  onTheWire(row?: Row): Promise<string>
  /** Answers the request that is open, and waits until everything it caused is done. */
  answer(status: number): Promise<void>
}

/** Under `standard` without the fast path, with the order of the store's calls on record. */
export async function watchedWorld(
  database: Database,
  options: Partial<Omit<PosthornOptions, 'clock'>> = {},
): Promise<{ world: HeldWorld; store: WatchedStore }> {
  let watched: WatchedStore | undefined
  const world = await makeWorld(
    database,
    { fastPath: false, timeoutMs: 300_000, ...options },
    (store) => (watched = watch(store)),
  )
  if (watched === undefined) throw new Error('The world did not wrap its store.')
  // The receiver answers when this clock moves, whatever the world's own clock does.
  const gate = manualClock()
  let status = 200

  return {
    store: watched,
    world: {
      ...world,
      async onTheWire(row = {}) {
        const { count } = world.receiver
        world.receiver.behave('/hook', { kind: 'slow', afterMs: 1, clock: gate, answer: () => status })
        const id = await world.insert(row)
        await world.posthorn.start()
        if (count > 0) await world.clock.advance(5_000)
        await world.receiver.waitFor(count + 1)
        return id
      },
      async answer(given) {
        status = given
        await gate.advance(1)
        world.receiver.behave('/hook', 200)
        await world.posthorn.idle()
      },
    },
  }
}

/** Another worker takes a row over, as it may when a lease has run out; answers with its name. On SQLite it must be one of the process that delivers. */
export async function takeOver(world: World, id: string, until: number, owner = 'other'): Promise<string> {
  await world.query(
    'update webhook_deliveries set lease_owner = ?, lease_until = ?, lease_epoch = lease_epoch + 1 where id = ?',
    owner,
    until,
    id,
  )
  return owner
}

export function renewalTimes(store: WatchedStore): number[] {
  return store.calls.filter(({ method }) => method === 'renew').map(({ request }) => (request[0] as LeaseRequest).now)
}
