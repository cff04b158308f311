import assert from 'node:assert/strict'
import type { AuditEntry } from '../../../core/ports/audit.ts'
import { day, hour } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import type { StoreCase } from '../case.ts'
import { anApplication, anEndpoint, has, only, start } from '../world.ts'
import type { World } from '../world.ts'

const by = { name: 'kim', keyId: 'key_0000000000000000001', from: '203.0.113.7', reason: 'asked to' }
const page = { limit: 10, after: null }

/** Who did what, from where, and what it changed. */
export const auditCases: readonly StoreCase[] = [
  storeCase('an application leaves an entry when it is created, changed and deleted', async (world) => {
    const application = anApplication(world.id('app'), { name: 'Acme' })
    await world.directory.createApplication(application, by)
    await world.directory.updateApplication(application.id, { name: 'Acme Ltd' }, start + 1, by)
    await world.directory.updateApplication(application.id, { name: 'Acme Ltd' }, start + 2, by)
    await world.erase(application.id, start + 3, by)
    const [created, updated, deleted, ...others] = await entries(world)
    assert.deepEqual(others, [], 'what changed nothing is not noted')
    has(created, { action: 'application.create', target: application.id, applicationId: application.id, before: null })
    has(created?.after, { name: 'Acme' })
    has(created, { actor: 'kim', actorId: by.keyId, from: by.from, reason: 'asked to' })
    has(updated, { action: 'application.update', before: { name: 'Acme' }, after: { name: 'Acme Ltd' } })
    has(deleted, { action: 'application.delete', target: application.id, at: start + 3, after: null })
    has(deleted?.before, { name: 'Acme Ltd' })
  }),

  storeCase('of an endpoint what was changed is noted, with credentials masked', async (world) => {
    const { id: applicationId } = await world.application()
    const url = 'https://kim:pass@acme.example/hooks?token=t0ps3cret&x=1'
    const headers = { authorization: 'Bearer t0ps3cret', 'x-kept': 'same' }
    const endpoint = anEndpoint(world.id('ep'), world.id('sec'), { applicationId, url, headers })
    await world.directory.createEndpoint(endpoint, by)
    const change = {
      url: 'https://acme.example/new?token=0th3r',
      headers: { ...headers, authorization: 'Bearer 0th3r' },
    }
    await world.directory.updateEndpoint(endpoint.id, change, start + 1, { action: 'endpoint.update', by })
    await world.directory.updateEndpoint(endpoint.id, { status: 'deleted' }, start + 2, { action: 'delete', by })
    const [created, updated, deleted] = await entries(world)
    has(created, { action: 'endpoint.create', target: endpoint.id, applicationId, before: null })
    assert.deepEqual(updated?.before, {
      url: 'https://***@acme.example/hooks?token=***&x=***',
      headers: { authorization: '***' },
    })
    assert.deepEqual(updated.after, { url: 'https://acme.example/new?token=***', headers: { authorization: '***' } })
    has(deleted?.after, { status: 'deleted' })
    const text = JSON.stringify(await entries(world))
    for (const secret of ['t0ps3cret', '0th3r', 'pass@', endpoint.secrets[0]?.value ?? ''])
      assert.ok(!text.includes(secret), `no entry shows ${secret}`)
  }),

  storeCase('an event type leaves an entry when it is created, changed and deleted', async (world) => {
    const eventType = {
      name: 'invoice.paid',
      description: '',
      schemas: null,
      archived: false,
      deprecated: false,
      featureFlag: null,
      createdAt: start,
      updatedAt: start,
    }
    await world.directory.createEventType(eventType, by)
    await world.directory.updateEventType('invoice.paid', { archived: true }, start + 1, by)
    await world.directory.deleteEventType('invoice.paid', start + 2, by)
    await world.directory.deleteEventType('invoice.paid', start + 3, by)
    const found = await entries(world)
    assert.deepEqual(
      found.map(({ action, target }) => [action, target]),
      [
        ['event-type.create', 'invoice.paid'],
        ['event-type.update', 'invoice.paid'],
        ['event-type.delete', 'invoice.paid'],
      ],
    )
    has(found[1], { before: { archived: false }, after: { archived: true } })
  }),

  storeCase('entries are found by actor, key, action, target, application and time', async (world) => {
    const { directory } = world
    const [one, other] = [world.id('app'), world.id('app')]
    await directory.note({ action: 'reveal', by, target: 'ep_1', applicationId: one, at: start })
    await directory.note({
      action: 'reveal',
      by: { name: 'lee' },
      target: 'ep_2',
      applicationId: other,
      at: start + hour,
    })
    await directory.note({ action: 'pause', by: { name: 'lee' }, target: 'ep_1', applicationId: one, at: start + day })
    const found = async (filter: Parameters<typeof directory.audit>[0]): Promise<number[]> =>
      (await directory.audit(filter, page)).map(({ at }) => at - start)
    assert.deepEqual(await found({}), [day, hour, 0])
    assert.deepEqual(await found({ actor: 'lee' }), [day, hour])
    assert.deepEqual(await found({ actor: by.keyId }), [0])
    assert.deepEqual(await found({ action: 'reveal' }), [hour, 0])
    assert.deepEqual(await found({ target: 'ep_1' }), [day, 0])
    assert.deepEqual(await found({ target: 'ep_' }), [])
    assert.deepEqual(await found({ applicationId: one }), [day, 0])
    assert.deepEqual(await found({ since: start + hour }), [day, hour])
    assert.deepEqual(await found({ until: start + hour }), [0])
    assert.deepEqual(await found({ actor: 'lee', action: 'reveal', applicationId: other }), [hour])
    assert.deepEqual(await found({ actor: 'kim', action: 'pause' }), [])
  }),

  storeCase('a target of any length is kept and found', async (world) => {
    const target = JSON.stringify({ ids: Array.from({ length: 500 }, () => world.id('dlv')) })
    await world.directory.note({ action: 'cancel', by, target, at: start })
    await world.directory.note({ action: 'cancel', by, target: `${target} `, at: start })
    has(only(await world.directory.audit({ target }, page)), { target })
  }),

  storeCase('what happens again can be counted in the entry that there is', async (world) => {
    const id = await world.directory.note({ action: 'session.refuse', by, target: 'dashboard', at: start })
    await world.directory.countNote(id, 41)
    await world.directory.countNote(world.id('aud'), 7)
    has(only(await entries(world)), { id, count: 42 })
  }),
]

function entries(world: World): Promise<AuditEntry[]> {
  return world.directory.audit({}, { ...page, order: 'ascending' })
}
