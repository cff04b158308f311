import assert from 'node:assert/strict'
import { healthy } from '../../../core/endpoint/health.ts'
import type { Health } from '../../../core/endpoint/health.ts'
import { storeCase } from '../case.ts'
import { only, start, times } from '../world.ts'

const troubled: Health = {
  failures: 10,
  heldUntil: start + 60_000,
  holds: 2,
  failingSince: start - 5,
  failedAttempts: 31,
  warnings: 2,
  generation: 4,
  rampFrom: start + 60_000,
  version: 0,
}

export const healthCases = [
  storeCase('endpoints without trouble have no health', async (world) => {
    const endpoint = await world.endpoint()
    assert.equal((await world.queue.health([endpoint.id, world.id('ep')])).size, 0)
    assert.equal((await world.queue.health([])).size, 0)
  }),

  storeCase('health comes back as saved, one version on', async (world) => {
    const [one, two, three] = await times(3, () => world.endpoint())
    assert.ok(one !== undefined && two !== undefined && three !== undefined)
    assert.equal(await world.queue.saveHealth(one.id, troubled), true)
    assert.equal(await world.queue.saveHealth(two.id, healthy), true)
    const known = await world.queue.health([one.id, two.id, three.id])
    assert.deepEqual(known.get(one.id), { ...troubled, version: 1 })
    assert.deepEqual(known.get(two.id), { ...healthy, version: 1 })
    assert.deepEqual([...known.keys()].toSorted(), [one.id, two.id].toSorted())
  }),

  storeCase('health is saved only over the version it was read with', async (world) => {
    const endpoint = await world.endpoint()
    assert.equal(await world.queue.saveHealth(endpoint.id, { ...troubled, version: 1 }), false, 'there is none yet')
    assert.equal((await world.queue.health([endpoint.id])).size, 0)
    assert.equal(await world.queue.saveHealth(endpoint.id, troubled), true)
    assert.equal(await world.queue.saveHealth(endpoint.id, { ...healthy, version: 0 }), false, 'another was first')
    assert.equal(await world.queue.saveHealth(endpoint.id, { ...healthy, version: 2 }), false, 'from the future')
    assert.equal(await world.queue.saveHealth(endpoint.id, { ...troubled, failures: 11, version: 1 }), true)
    assert.deepEqual((await world.queue.health([endpoint.id])).get(endpoint.id), {
      ...troubled,
      failures: 11,
      version: 2,
    })
  }),

  storeCase('of many that save at the same time one is first', async (world) => {
    const endpoint = await world.endpoint()
    for (const version of [0, 1]) {
      const answers = await times(10, (failures) =>
        world.queue.saveHealth(endpoint.id, { ...troubled, failures, version }),
      )
      const winner = only(answers.flatMap((first, failures) => (first ? [failures] : [])))
      assert.deepEqual((await world.queue.health([endpoint.id])).get(endpoint.id), {
        ...troubled,
        failures: winner,
        version: version + 1,
      })
    }
  }),

  storeCase('a change of health is no change of the endpoint', async (world) => {
    const endpoint = await world.endpoint()
    const before = await world.directory.matching(endpoint.applicationId)
    await world.queue.saveHealth(endpoint.id, troubled)
    assert.deepEqual(await world.directory.matching(endpoint.applicationId), before)
  }),
]
