import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import type { Job } from '../../src/core/delivery/job.ts'
import { minute } from '../../src/core/time.ts'
import { emptyState } from '../../src/testing/memory/state.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { makeGate } from './gate.ts'
import { refusal } from './refusal.ts'
import { stores, worldOn } from './stores.ts'
import { engineWorld, inStatus, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const notFound = { code: 'not_found' }

/** An application with something delivered, and something that waits for a retry. */
async function filled(world: EngineWorld) {
  const { posthorn } = world
  const endpoint = await world.endpoint('acme')
  await world.endpoint('other')
  await posthorn.start()
  await world.send('acme')
  await posthorn.idle()
  world.transport.answer(urlOf('acme'), 500)
  await world.send('acme')
  await posthorn.idle()
  const rows = await world.rows('acme')
  expect([inStatus(rows, 'delivered'), inStatus(rows, 'failed')]).toEqual([1, 1])
  return { endpoint, rows }
}

async function ended(world: EngineWorld, job: Job): Promise<Job> {
  for (let step = 0; step < 100; step += 1) {
    const now = await world.posthorn.jobs.get(job.id)
    if (now.state === 'done') return now
    await world.clock.advance(100)
  }
  throw new Error('Expected the erasure to come to an end.')
}

describe.each(stores)('an application that is deleted, on $name', (kind) => {
  test('shows nothing from that moment on, sends nothing, and is erased', async () => {
    const world = await worldOn(kind)
    const { posthorn } = world
    const { endpoint, rows } = await filled(world)
    const gate = makeGate()
    onTestFinished(gate.open)
    // Before the first batch has begun.
    world.store.bend = async ({ method }, run) => {
      if (method === 'advanceJob') await gate.opened
      return run()
    }
    const job = await posthorn.applications.erase('acme', { by: 'kim', reason: 'asked to' })
    expect(job).toMatchObject({ state: 'running', matching: 2, done: 0, work: { action: 'erase' } })
    for (const { id, messageId } of rows) {
      expect(await refusal(() => posthorn.deliveries.get(id))).toMatchObject(notFound)
      expect(await refusal(() => posthorn.deliveries.detail(id))).toMatchObject(notFound)
      expect(await refusal(() => posthorn.deliveries.attempts(id))).toMatchObject(notFound)
      expect(await refusal(() => posthorn.requeue(id))).toMatchObject(notFound)
      expect(await refusal(() => posthorn.messages.get('acme', messageId))).toMatchObject(notFound)
    }
    expect(await posthorn.deliveries.list()).toEqual([])
    expect((await posthorn.deliveries.search({}, 'a')).items).toEqual([])
    expect((await posthorn.messages.list({ applicationId: endpoint.applicationId })).items).toEqual([])
    expect(await refusal(() => posthorn.endpoints.get(endpoint.id))).toMatchObject(notFound)
    expect(await refusal(() => posthorn.endpoints.get(endpoint.id, { deleted: true }))).toMatchObject(notFound)
    expect(await refusal(() => posthorn.jobs.cancel(job.id))).toMatchObject({ code: 'wrong_state' })

    gate.open()
    expect(await ended(world, job)).toMatchObject({ matching: 2, done: 2, skipped: 0 })
    const failed = rows.find(({ status }) => status === 'failed')
    expect(world.heard('delivery.dead')).toMatchObject([{ webhook_delivery_id: failed?.id, reason: 'gone' }])
    await world.poll(10 * minute)
    expect(world.sentTo('acme')).toBe(2)
    expect(await world.store.directory.endpointsById([endpoint.id])).toEqual([])
    expect(await posthorn.audit({ action: 'application.delete' })).toMatchObject([
      { actor: 'kim', reason: 'asked to', target: endpoint.applicationId, before: { uid: 'acme' } },
    ])
    // The name is free, and the other application is as it was.
    await world.send('other')
    expect(await world.rows('other')).toHaveLength(1)
    expect(await posthorn.applications.create({ uid: 'acme' })).not.toMatchObject({ id: endpoint.applicationId })
  })

  test('is erased all the same, if a batch fails', async () => {
    const world = await worldOn(kind)
    const { posthorn } = world
    const { id } = await world.endpoint('acme')
    await posthorn.endpoints.pause(id)
    await world.send('acme', 250)
    let batches = 0
    world.store.bend = ({ method }, run) => {
      if (method === 'advanceJob') batches += 1
      return method === 'advanceJob' && batches === 2 ? Promise.reject(new Error('The worker is dead.')) : run()
    }
    await posthorn.start()
    const job = await posthorn.applications.erase('acme')
    expect(await ended(world, job)).toMatchObject({ matching: 250, done: 250 })
    expect(batches).toBeGreaterThan(2)
    expect(world.heard('delivery.dead')).toHaveLength(250)
    expect(world.heard('warning')).toMatchObject([{ code: 'store_error' }])
  })
})

describe.each(stores)('dead letters of a deleted endpoint, on $name', (kind) => {
  test('are not sent again: one is refused with a reason, many are skipped and counted', async () => {
    const world = await worldOn(kind, { maxRetries: 0 })
    const { posthorn } = world
    const { id: endpointId } = await world.endpoint('acme')
    const { applicationId } = await world.endpoint('other')
    await posthorn.start()
    await world.send('acme')
    await posthorn.idle()
    for (const name of ['acme', 'other']) {
      world.transport.answer(urlOf(name), 500)
      await world.send(name, 2)
    }
    await posthorn.idle()
    const rows = await world.rows('acme')
    expect([inStatus(rows, 'delivered'), inStatus(rows, 'dead')]).toEqual([1, 2])
    await posthorn.endpoints.delete(endpointId)
    for (const { id } of rows)
      expect(await refusal(() => posthorn.requeue(id))).toMatchObject({
        code: 'wrong_state',
        message: expect.stringMatching(/which was deleted"?\. Delivery dlv_\w+ stays as it is/),
      })
    expect(await posthorn.requeue({ endpointId })).toBe(0)
    const ofEndpoint = { action: 'requeue', filter: { endpointId } } as const
    expect(await refusal(() => posthorn.jobs.create(ofEndpoint))).toMatchObject(notFound)
    const job = await posthorn.jobs.create({ action: 'requeue', filter: { status: 'dead' } })
    expect(await ended(world, job)).toMatchObject({ matching: 4, done: 2, skipped: 2 })
    expect(inStatus(await world.rows('acme'), 'dead')).toBe(2)
    expect(await posthorn.deliveries.count({ applicationId })).toBe(2)
  })
})

test('what is left of an application that was deleted by hand, or by an earlier release, is erased by its id', async () => {
  const state = emptyState(false)
  const world = engineWorld({}, memoryStore({ state }))
  const { posthorn } = world
  const { endpoint } = await filled(world)
  state.applications.delete(endpoint.applicationId)
  const job = await posthorn.applications.erase(endpoint.applicationId, { by: 'kim' })
  expect(await ended(world, job)).toMatchObject({ done: 2 })
  expect([state.messages.size, state.attempts.size, state.endpoints.size]).toEqual([0, 0, 1])
  expect(await posthorn.audit({ actor: 'kim' })).toMatchObject([{ action: 'application.erase', before: null }])
  for (const name of [endpoint.applicationId, 'nobody'])
    expect(await refusal(() => posthorn.applications.erase(name))).toMatchObject(notFound)
})

test('a worker that only stores leaves the erasure to those that deliver', async () => {
  const world = await worldOn(stores[0] ?? { name: '', open: () => Promise.reject(new Error('no store')) })
  await world.endpoint('acme')
  const job = await world.posthorn.applications.erase('acme')
  await world.clock.advance(minute)
  expect(await world.posthorn.jobs.get(job.id)).toMatchObject({ state: 'running' })
  const worker = new Posthorn({ store: world.store, clock: world.clock, transport: scriptedTransport(world.clock) })
  onTestFinished(() => worker.stop())
  await worker.start()
  expect(await ended(world, job)).toMatchObject({ state: 'done' })
})
