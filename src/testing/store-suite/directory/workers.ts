import assert from 'node:assert/strict'
import type { Worker } from '../../../core/ports/worker.ts'
import type { Instant } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { leaseMs, start, times } from '../world.ts'
import type { World } from '../world.ts'

const anna: Worker = { id: 'anna', pid: 41, host: 'here', startedAt: start }
const bert: Worker = { id: 'bert', pid: 42, host: 'there', startedAt: start + 1 }

export const workerCases = [
  storeCase('a beat counts who was attached, itself included', async (world) => {
    await world.store.attach(anna)
    assert.equal(await beat(world, anna, start + 1, start), 1)
    await world.store.attach(bert)
    assert.equal(await beat(world, bert, start + 2, start), 2)
    assert.equal(await beat(world, anna, start + 2, start), 2)
    assert.deepEqual(await workers(world), [anna, bert])
    assert.deepEqual(
      (await world.directory.workers()).map(({ seenAt }) => seenAt),
      [start + 2, start + 2],
    )
    await world.store.detach(bert.id)
    assert.equal(await beat(world, anna, start + 3, start), 1)
  }),

  storeCase(
    'a beat answers with what each worker had to say, and one that was only attached has said nothing',
    async (world) => {
      await world.store.attach(bert)
      await world.store.attach(anna)
      const waits = [
        { endpointId: 'ep_1', reason: 'rate_limit', since: start - 5 },
        { endpointId: 'ep_2', reason: 'held', since: start },
      ] as const
      const wanted = [
        { ...anna, seenAt: start + 2, sharesAmong: 3, waits },
        { ...bert, seenAt: bert.startedAt, sharesAmong: 0, waits: [] },
      ]
      assert.deepEqual(
        await world.store.beat(anna, { now: start + 2, goneBefore: start, sharesAmong: 3, waits }),
        wanted,
      )
      assert.deepEqual(
        (await world.directory.workers()).toSorted((left, right) => (left.id < right.id ? -1 : 1)),
        wanted,
      )
      const [again] = await world.store.beat(anna, { now: start + 3, goneBefore: start, sharesAmong: 2, waits: [] })
      assert.deepEqual(again, { ...anna, seenAt: start + 3, sharesAmong: 2, waits: [] })
    },
  ),

  storeCase('of endpoints that wait a worker names at most a hundred', async (world) => {
    const waits = Array.from({ length: 150 }, (_, index) => ({
      endpointId: `ep_${index}`,
      reason: 'window' as const,
      since: start,
    }))
    const [seen] = await world.store.beat(anna, { now: start, goneBefore: 0, sharesAmong: 1, waits })
    assert.deepEqual(seen?.waits, waits.slice(0, 100))
  }),

  storeCase(
    'a worker that is not seen for long is forgotten by the others, at its time and not before',
    async (world) => {
      await world.store.attach(anna)
      await world.store.attach(bert)
      assert.equal(await beat(world, anna, start + 10, bert.startedAt), 2, 'seen at this very time')
      assert.equal(await beat(world, bert, start + 11, start + 10), 2)
      assert.equal(await beat(world, anna, start + 20, start + 11), 2, 'a beat is a sight of it')
      assert.equal(await beat(world, anna, start + 21, start + 12), 1)
      assert.deepEqual(await workers(world), [anna])
    },
  ),

  storeCase('a worker that was forgotten too soon is back with its next beat, as it was', async (world) => {
    await world.store.attach(anna)
    await world.store.attach(bert)
    assert.equal(await beat(world, anna, start + 100, start + 50), 1)
    assert.equal(await beat(world, bert, start + 101, start + 50), 2)
    assert.deepEqual(await workers(world), [anna, bert])
  }),

  storeCase('a worker does not forget itself, however late it is', async (world) => {
    await world.store.attach(anna)
    assert.equal(await beat(world, anna, start + 100, start + 200), 1)
    assert.deepEqual(await workers(world), [anna])
  }),

  storeCase('beats at the same time lose nobody', async (world) => {
    const many = Array.from({ length: 10 }, (_, index) => ({ ...anna, id: `worker-${index}` }))
    for (const worker of many) await world.store.attach(worker)
    await world.store.attach({ ...bert, startedAt: start - 1 })
    await times(10, (index) => beat(world, many[index] ?? anna, start + 10, start))
    assert.deepEqual(await workers(world), many)
  }),

  storeCase("a turn is its first taker's until it runs out, and longer if it is kept", async (world) => {
    assert.equal(await turn(world, 'anna', start), true)
    assert.equal(await turn(world, 'bert', start + leaseMs - 1), false)
    assert.equal(await turn(world, 'anna', start + leaseMs - 1), true, 'kept')
    assert.equal(await turn(world, 'bert', start + 2 * leaseMs - 2), false)
    assert.equal(await turn(world, 'bert', start + 2 * leaseMs - 1), true, 'run out')
    assert.equal(await turn(world, 'anna', start + 2 * leaseMs), false)
  }),

  storeCase('turns at different work are taken by themselves', async (world) => {
    assert.equal(await turn(world, 'anna', start, { name: 'sweep' }), true)
    assert.equal(await turn(world, 'bert', start, { name: 'cook' }), true)
    assert.equal(await turn(world, 'anna', start, { name: 'cook' }), false)
  }),

  storeCase('a turn that is given back is free at once; only its owner can give it back', async (world) => {
    await turn(world, 'anna', start)
    assert.equal(await turn(world, 'bert', start, { lastsMs: 0 }), false)
    assert.equal(await turn(world, 'bert', start), false)
    assert.equal(await turn(world, 'anna', start, { lastsMs: 0 }), true)
    assert.equal(await turn(world, 'bert', start), true)
  }),

  storeCase('of many that take a turn at the same time one has it', async (world) => {
    for (const now of [start, start + leaseMs]) {
      const answers = await times(10, (index) => turn(world, `worker-${now}-${index}`, now))
      assert.equal(answers.filter((taken) => taken).length, 1)
    }
  }),
]

function turn(world: World, owner: string, now: Instant, { name = 'sweep', lastsMs = leaseMs } = {}): Promise<boolean> {
  return world.queue.takeTurn({ name, owner, now, leaseMs: lastsMs })
}

/** Returns how many are alive. */
async function beat(world: World, worker: Worker, now: Instant, goneBefore: Instant): Promise<number> {
  return (await world.store.beat(worker, { now, goneBefore, sharesAmong: 0, waits: [] })).length
}

async function workers(world: World): Promise<Worker[]> {
  const seen = await world.directory.workers()
  return seen
    .map(({ id, pid, host, startedAt }) => ({ id, pid, host, startedAt }))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
}
