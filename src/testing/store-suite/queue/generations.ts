import assert from 'node:assert/strict'
import { healthy } from '../../../core/endpoint/health.ts'
import type { Health } from '../../../core/endpoint/health.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { storeCase } from '../case.ts'
import { has, start, times } from '../world.ts'
import type { World } from '../world.ts'

const troubled: Health = {
  ...healthy,
  failures: 10,
  heldUntil: start + 60_000,
  holds: 2,
  failingSince: start - 5,
  failedAttempts: 31,
  generation: 4,
  rampFrom: start + 60_000,
}

export const generationCases = [
  storeCase('a new URL begins a new generation of the health, with nothing against it', async (world) => {
    const endpoint = await world.endpoint()
    await world.change(endpoint, { url: 'https://new.example' }, start + 1)
    assert.deepEqual(await healthOf(world, endpoint), { ...healthy, generation: 1, version: 1 })
    await world.queue.saveHealth(endpoint.id, { ...troubled, version: 1 })
    await world.change(endpoint, { url: 'https://newer.example' }, start + 9)
    assert.deepEqual(
      await healthOf(world, endpoint),
      { ...healthy, generation: 5, rampFrom: start + 9, version: 3 },
      'what was held leaves in steps',
    )
    assert.equal(
      await world.queue.saveHealth(endpoint.id, { ...troubled, version: 2 }),
      false,
      'what was learnt about the old one is refused',
    )
  }),

  storeCase(
    'so does a person who enables or resumes it; what was kept back leaves in steps from then on',
    async (world) => {
      for (const status of ['paused', 'disabled'] as const) {
        const endpoint = await world.endpoint()
        await world.change(endpoint, { status }, start + 1)
        assert.equal(await healthOf(world, endpoint), undefined)
        await world.change(endpoint, { status: 'active' }, start + 2)
        assert.deepEqual(await healthOf(world, endpoint), {
          ...healthy,
          generation: 1,
          rampFrom: start + 2,
          version: 1,
        })
      }
    },
  ),

  storeCase('so does a person who enables what is active but held', async (world) => {
    const endpoint = await world.endpoint()
    await world.queue.saveHealth(endpoint.id, troubled)
    await world.change(endpoint, { status: 'active' }, start + 2)
    assert.deepEqual(await healthOf(world, endpoint), {
      ...healthy,
      generation: troubled.generation + 1,
      rampFrom: start + 2,
      version: 2,
    })
  }),

  storeCase('any other change leaves the health alone', async (world) => {
    const endpoint = await world.endpoint()
    await world.queue.saveHealth(endpoint.id, troubled)
    for (const change of [
      { description: 'new' },
      { url: endpoint.url },
      { status: 'paused' as const },
      { policy: 'patient' },
    ]) {
      await world.change(endpoint, change, start + 1)
    }
    assert.deepEqual(await healthOf(world, endpoint), { ...troubled, version: 1 })
  }),

  storeCase(
    'an endpoint is disabled if it still has the URL and the generation of health that were judged',
    async (world) => {
      const [never, known] = [await world.endpoint(), await world.endpoint()]
      await world.queue.saveHealth(known.id, troubled)
      const before = await world.directory.matching(known.applicationId)
      assert.equal(await disable(world, never, 1), false)
      assert.equal(await disable(world, known, 3), false)
      assert.equal(await disable(world, known, 0), false)
      assert.equal(await disable(world, { ...known, url: 'https://elsewhere.example/' }, 4), false)
      assert.deepEqual(await world.directory.matching(known.applicationId), before)

      assert.equal(await disable(world, never, 0), true)
      assert.equal(await disable(world, known, 4), true)
      for (const { id } of [never, known]) {
        has(await world.directory.endpoint(null, id), {
          status: 'disabled',
          statusReason: 'gone',
          statusSince: start + 7,
          updatedAt: start + 7,
        })
      }
      assert.notEqual((await world.directory.matching(known.applicationId))?.endpointsVersion, before?.endpointsVersion)
      assert.deepEqual(await healthOf(world, known), { ...troubled, version: 1 })
    },
  ),

  storeCase('only an active endpoint is disabled', async (world) => {
    for (const status of ['paused', 'disabled', 'deleted'] as const) {
      const endpoint = await world.endpoint()
      const changed = await world.change(endpoint, { status, statusReason: 'a person said so' })
      assert.equal(await disable(world, endpoint, 0), false)
      has((await world.directory.endpointsById([endpoint.id]))[0], changed)
    }
    assert.equal(await disable(world, { ...(await world.endpoint()), id: world.id('ep') }, 0), false)
  }),

  storeCase('of many that disable or enable an endpoint at the same time each is whole', async (world) => {
    const endpoint = await world.endpoint()
    const answers = await times(6, () => disable(world, endpoint, 0))
    assert.equal(answers.filter((first) => first).length, 1)
    await times(4, () => world.directory.updateEndpoint(endpoint.id, { status: 'active' }, start + 8))
    has(await healthOf(world, endpoint), { generation: 4, version: 4, rampFrom: start + 8 })
  }),
]

function disable(world: World, { id, url }: Endpoint, generation: number): Promise<boolean> {
  return world.queue.disable({ endpointId: id, url, generation, reason: 'gone', now: start + 7 })
}

async function healthOf(world: World, { id }: Endpoint): Promise<Health | undefined> {
  return (await world.queue.health([id])).get(id)
}
