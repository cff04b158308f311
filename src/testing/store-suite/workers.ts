import assert from 'node:assert/strict'
import type { Worker } from '../../core/ports.ts'
import type { Instant } from '../../core/time.ts'
import { storeCase } from './case.ts'
import { leaseMs, start, times } from './world.ts'
import type { World } from './world.ts'

const anna: Worker = { id: 'anna', pid: 41, host: 'here', startedAt: start }
const bert: Worker = { id: 'bert', pid: 42, host: 'there', startedAt: start + 1 }

export const workerCases = [
  storeCase('a beat counts who was attached, itself included', async (world) => {
    await world.store.attach(anna)
    assert.equal(await world.store.beat(anna, { now: start + 1, goneBefore: start }), 1)
    await world.store.attach(bert)
    assert.equal(await world.store.beat(bert, { now: start + 2, goneBefore: start }), 2)
    assert.equal(await world.store.beat(anna, { now: start + 2, goneBefore: start }), 2)
    assert.deepEqual(await workers(world), [anna, bert])
    assert.deepEqual((await world.directory.workers()).map(({ seenAt }) => seenAt), [start + 2, start + 2])
    await world.store.detach(bert.id)
    assert.equal(await world.store.beat(anna, { now: start + 3, goneBefore: start }), 1)
  }),

  storeCase('a worker that is not seen for long is forgotten by the others, at its time and not before', async (world) => {
    await world.store.attach(anna)
    await world.store.attach(bert)
    assert.equal(await world.store.beat(anna, { now: start + 10, goneBefore: bert.startedAt }), 2, 'seen at this very time')
    assert.equal(await world.store.beat(bert, { now: start + 11, goneBefore: start + 10 }), 2)
    assert.equal(await world.store.beat(anna, { now: start + 20, goneBefore: start + 11 }), 2, 'a beat is a sight of it')
    assert.equal(await world.store.beat(anna, { now: start + 21, goneBefore: start + 12 }), 1)
    assert.deepEqual(await workers(world), [anna])
  }),

  storeCase('a worker that was forgotten too soon is back with its next beat, as it was', async (world) => {
    await world.store.attach(anna)
    await world.store.attach(bert)
    assert.equal(await world.store.beat(anna, { now: start + 100, goneBefore: start + 50 }), 1)
    assert.equal(await world.store.beat(bert, { now: start + 101, goneBefore: start + 50 }), 2)
    assert.deepEqual(await workers(world), [anna, bert])
  }),

  storeCase('a worker does not forget itself, however late it is', async (world) => {
    await world.store.attach(anna)
    assert.equal(await world.store.beat(anna, { now: start + 100, goneBefore: start + 200 }), 1)
    assert.deepEqual(await workers(world), [anna])
  }),

  storeCase('beats at the same time lose nobody', async (world) => {
    const many = Array.from({ length: 10 }, (_, index) => ({ ...anna, id: `worker-${index}` }))
    for (const worker of many) await world.store.attach(worker)
    await world.store.attach({ ...bert, startedAt: start - 1 })
    await times(10, (index) => world.store.beat(many[index] ?? anna, { now: start + 10, goneBefore: start }))
    assert.deepEqual(await workers(world), many)
  }),

  storeCase('a turn is its first taker\'s until it runs out, and longer if it is kept', async (world) => {
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

async function workers(world: World): Promise<Worker[]> {
  const seen = await world.directory.workers()
  return seen.map(({ id, pid, host, startedAt }) => ({ id, pid, host, startedAt })).toSorted((left, right) => (left.id < right.id ? -1 : 1))
}
