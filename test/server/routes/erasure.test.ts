import { describe, expect, test } from 'vitest'
import { second } from '../../../src/core/time.ts'
import { databases, serverWorld } from '../world.ts'
import type { ServerWorld } from '../world.ts'

const secret = 'what only Acme may know'

async function filled(world: ServerWorld) {
  const { posthorn } = world
  const { id: applicationId } = await posthorn.applications.create({ uid: 'acme', name: secret })
  const endpoint = await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks' })
  await posthorn.endpoints.pause(endpoint.id)
  const { id: messageId } = await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { secret } })
  const [delivery] = await posthorn.deliveries.list()
  return { applicationId, endpointId: endpoint.id, messageId, deliveryId: delivery?.id ?? '' }
}

async function ended(world: ServerWorld, jobId: string): Promise<unknown> {
  for (let step = 0; step < 50; step += 1) {
    const { body } = await world.call('GET', `/api/v1/job/${jobId}`)
    if ((body as { state: string }).state === 'done') return body
    await world.clock.advance(second)
  }
  throw new Error('Expected the erasure to come to an end.')
}

describe.each(databases)('a deleted application, on %s', (database) => {
  test('is answered with 404 at once, to every question about it', async () => {
    const world = await serverWorld({}, database)
    const { applicationId, endpointId, messageId, deliveryId } = await filled(world)
    const theirs = await world.token({ application: 'acme' })
    const endpoint = { headers: { 'idempotency-key': 'once' }, body: { url: 'https://acme.example/other' } }
    expect((await world.call('POST', '/api/v1/app/acme/endpoint', endpoint)).status).toBe(201)
    expect((await world.call('DELETE', '/api/v1/app/acme')).status).toBe(204)

    for (const app of ['acme', applicationId]) {
      const base = `/api/v1/app/${app}`
      for (const path of [
        '',
        '/msg',
        `/msg/${messageId}`,
        '/endpoint',
        `/endpoint/${endpointId}`,
        `/endpoint/${endpointId}/secret`,
        `/attempt/msg/${messageId}`,
        `/attempt/endpoint/${endpointId}`,
      ])
        expect({ [path]: (await world.call('GET', base + path)).status }).toEqual({ [path]: 404 })
      expect((await world.call('POST', `${base}/endpoint`, endpoint)).status).toBe(404)
    }
    for (const path of [`/delivery/${deliveryId}`, `/delivery/${deliveryId}/curl`, `/endpoint/${endpointId}`])
      expect({ [path]: (await world.call('GET', `/api/v1${path}`)).status }).toEqual({ [path]: 404 })
    for (const path of ['/delivery', `/delivery?id=${deliveryId}`, `/delivery?message=${messageId}`, '/dead-letter'])
      expect((await world.call('GET', `/api/v1${path}`)).body).toMatchObject({ data: [] })
    for (const path of ['/app/acme', '/delivery', '/app'])
      expect((await world.call('GET', `/api/v1${path}`, { token: theirs })).status).toBe(403)
  })

  test('is erased by a job, whose progress can be read; of its rows nothing is left', async () => {
    const world = await serverWorld({}, database)
    const { applicationId, endpointId } = await filled(world)
    const key = { headers: { 'idempotency-key': 'made' }, body: { uid: 'other', name: 'Other' } }
    const made = await world.call('POST', '/api/v1/app', key)
    await world.posthorn.start()
    const reply = await world.call('POST', '/api/v1/app/acme/erase', { body: { reason: 'asked to' } })
    expect(reply).toMatchObject({
      status: 202,
      body: { action: 'erase', state: 'running', matching: 1, applicationId, filter: { application: applicationId } },
    })
    const { id } = reply.body as { id: string }
    expect((await world.call('POST', `/api/v1/job/${id}/cancel`)).status).toBe(409)
    expect(await ended(world, id)).toMatchObject({ done: 1, skipped: 0, reason: 'asked to' })
    expect((await world.call('POST', `/api/v1/app/${applicationId}/erase`, { body: {} })).status).toBe(404)
    expect(await world.posthorn.jobs.list()).toMatchObject([{ id }])
    const [entry] = await world.posthorn.audit({ action: 'application.delete' })
    expect(entry).toMatchObject({ reason: 'asked to', target: applicationId, before: { uid: 'acme' } })
    expect(endpointId).toMatch(/^ep_/)

    // Also the answer that is kept of its creation: the same request creates another.
    const other = made.body as { id: string }
    expect((await world.call('POST', '/api/v1/app', key)).body).toEqual(made.body)
    await ended(world, (await world.posthorn.applications.erase('other')).id)
    const again = await world.call('POST', '/api/v1/app', key)
    expect(again.status).toBe(201)
    expect((again.body as { id: string }).id).not.toBe(other.id)
  })

  test('leaves a message that was erased with its row: its payload and the answers to it are gone', async () => {
    const world = await serverWorld({}, database)
    const { messageId, deliveryId } = await filled(world)
    const path = `/api/v1/app/acme/msg/${messageId}`
    expect((await world.call('DELETE', `${path}/content`)).status).toBe(204)
    expect((await world.call('GET', path)).body).toMatchObject({ id: messageId, payload: { expired: true } })
    expect((await world.call('GET', `/api/v1/delivery/${deliveryId}`)).body).toMatchObject({
      status: 'dead',
      reason: 'cancelled',
      message: { erased: true },
    })
    expect(await world.posthorn.audit({ action: 'message.erase' })).toMatchObject([
      { actor: 'admin', target: messageId },
    ])
  })
})
