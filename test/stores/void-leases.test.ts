import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { leaseMs, makeWorld, start } from '../../src/testing/store-suite/world.ts'

// Where only one process may deliver, the lock proves that the others are gone, and their leases with them.

const stores: [name: string, make: () => Store][] = [
  ['the memory store of one process', () => memoryStore({ soleProcess: true })],
  ['the SQLite store', () => sqlite(':memory:', { plaintextSecrets: true })],
]

describe.each(stores)('%s', (_, make) => {
  test('a lease of a worker that is not attached is over at once, and nothing is written before the claim', async () => {
    const { store, world, endpoint, deliveryId } = await interrupted(make)
    const before = await world.delivery(deliveryId)
    await store.attach(worker('bert'))
    expect(await world.delivery(deliveryId)).toEqual(before)
    const claim = await world.claimOne({ from: endpoint, owner: 'bert', at: start + 5 })
    expect(claim).toMatchObject({ tookOver: 'interrupted', delivery: { interruptions: 1, leaseEpoch: 2 } })
    expect(await store.directory.attempts(deliveryId)).toMatchObject([
      { epoch: 1, outcome: 'interrupted', startedAt: start },
    ])
  })

  test('a clock that was an hour ahead when its worker ended makes nobody wait an hour, and the record is not of the future', async () => {
    const { store, world, endpoint, deliveryId } = await interrupted(make, start + 3_600_000)
    await store.attach(worker('bert'))
    expect(await world.claim({ from: endpoint, owner: 'bert', at: start + 5 })).toHaveLength(1)
    expect(await store.directory.attempts(deliveryId)).toMatchObject([{ startedAt: start + 5 }])
  })

  test('leases of all workers that are attached last until their time', async () => {
    const { store, world, endpoint } = await interrupted(make)
    for (const id of ['anna', 'bert']) await store.attach(worker(id))
    expect(await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs - 1 })).toEqual([])
    await store.detach('anna')
    expect(await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs - 1 })).toHaveLength(1)
  })

  test('the first worker of a process forgets those of the one before, and reports them lost', async () => {
    const { store } = await interrupted(make)
    const sighting = { now: start, goneBefore: 0, sharesAmong: 1, waits: [] }
    await store.beat(worker('anna'), sighting)
    await store.attach(worker('bert'))
    await store.attach(worker('cleo'))
    expect((await store.beat(worker('bert'), sighting)).map(({ id }) => id)).toEqual(['bert', 'cleo'])
    expect(await store.directory.alarms()).toMatchObject([{ id: 'worker-lost', noted: 1 }])
  })

  test('whoever has attached nobody knows nothing of the others, and goes by the time', async () => {
    const { world, endpoint } = await interrupted(make)
    expect(await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs - 1 })).toEqual([])
    expect(await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs })).toHaveLength(1)
  })
})

/** A delivery that anna has leased, and who is not attached. */
async function interrupted(make: () => Store, at = start) {
  const store = make()
  await store.open()
  onTestFinished(() => store.close())
  const world = makeWorld(store)
  const endpoint = await world.endpoint()
  const deliveryId = await world.sendOne(endpoint)
  await world.claimOne({ from: endpoint, owner: 'anna', at })
  return { store, world, endpoint, deliveryId }
}

function worker(id: string) {
  return { id, pid: 1, host: 'here', startedAt: start }
}
