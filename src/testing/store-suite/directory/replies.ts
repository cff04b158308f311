import assert from 'node:assert/strict'
import type { TakenReply } from '../../../core/ports/directory/replies.ts'
import { day, minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { start, times } from '../world.ts'
import type { World } from '../world.ts'

export const replyCases = [
  storeCase('a key is taken once; who comes meanwhile is told that another is at it', async (world) => {
    assert.deepEqual(await take(world), { kind: 'taken' })
    assert.deepEqual(await take(world), { kind: 'busy' })
    assert.deepEqual(await take(world, { key: 'other' }), { kind: 'taken' })
  }),

  storeCase('of many that take a key at the same time one gets it', async (world) => {
    const kinds = (await times(20, () => take(world))).map(({ kind }) => kind)
    assert.equal(kinds.filter((kind) => kind === 'taken').length, 1)
    assert.equal(kinds.filter((kind) => kind === 'busy').length, 19)
  }),

  storeCase('a repeat is answered as the first was, until the answer expires', async (world) => {
    await take(world)
    await world.directory.saveReply({ key: 'once', status: 202, body: '{"id":"ü"}', expiresAt: start + day })
    assert.deepEqual(await take(world, { at: start + day - 1 }), { kind: 'kept', status: 202, body: '{"id":"ü"}' })
    assert.deepEqual(await take(world, { at: start + day }), { kind: 'taken' })
    assert.deepEqual(await take(world, { at: start + day }), { kind: 'busy' })
  }),

  storeCase('another request under the same key is a conflict, before the answer and after', async (world) => {
    await take(world)
    assert.deepEqual(await take(world, { requestHash: 'other' }), { kind: 'conflict' })
    await world.directory.saveReply({ key: 'once', status: 202, body: '', expiresAt: start + day })
    assert.deepEqual(await take(world, { requestHash: 'other' }), { kind: 'conflict' })
    assert.deepEqual(await take(world), { kind: 'kept', status: 202, body: '' })
  }),

  storeCase('a key whose holder is never heard of again is free once its time is over', async (world) => {
    await take(world)
    assert.deepEqual(await take(world, { at: start + minute - 1 }), { kind: 'busy' })
    assert.deepEqual(await take(world, { at: start + minute, requestHash: 'other' }), { kind: 'taken' })
  }),

  storeCase('a key that is given back is free; an answer stays', async (world) => {
    await take(world)
    await world.directory.dropReply('once')
    assert.deepEqual(await take(world, { requestHash: 'other' }), { kind: 'taken' })
    await world.directory.saveReply({ key: 'once', status: 400, body: 'no', expiresAt: start + day })
    await world.directory.dropReply('once')
    assert.deepEqual(await take(world, { requestHash: 'other' }), { kind: 'kept', status: 400, body: 'no' })
    await world.directory.dropReply('unknown')
  }),

  storeCase('the first answer under a key stands, and there is none under a key that nobody took', async (world) => {
    await take(world)
    for (const status of [202, 500])
      await world.directory.saveReply({ key: 'once', status, body: '', expiresAt: start + day })
    assert.deepEqual(await take(world), { kind: 'kept', status: 202, body: '' })
    await world.directory.saveReply({ key: 'unknown', status: 202, body: '', expiresAt: start + day })
    assert.deepEqual(await take(world, { key: 'unknown' }), { kind: 'taken' })
  }),

  storeCase('prune forgets answers that have expired, in batches, and counts them', async (world) => {
    for (const key of ['a', 'b', 'c']) await take(world, { key })
    await take(world, { key: 'later', at: start + day })
    const batches = [await prune(world), await prune(world), await prune(world)]
    assert.deepEqual(batches, [2, 1, 0])
    assert.deepEqual(await take(world, { key: 'later', at: start + day }), { kind: 'busy' })
  }),
]

function take(world: World, { key = 'once', requestHash = 'hash', at = start } = {}): Promise<TakenReply> {
  return world.directory.takeReply({ key, requestHash, now: at, until: at + minute })
}

function prune(world: World): Promise<number> {
  return world.prune({ before: start, now: start + day, limit: 2 })
}
