import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'

describe.each(databases)('a signature on %s', (database) => {
  test('is compared with what was sent, and no secret is shown', async () => {
    const world = await routesWorld(database, true)
    const { ask, message, posthorn, transport, endpointId } = world
    await message()
    await posthorn.idle()
    const { data } = (await ask(200, 'GET', '/delivery')) as { data: { id: string }[] }
    const path = `/delivery/${data[0]?.id ?? ''}/check-signature`
    const { headers = {}, body = '' } = transport.requests[0] ?? {}
    const signature = headers['webhook-signature'] ?? ''
    expect(await ask(200, 'POST', path, { headers: signature, body })).toMatchObject({ verdict: 'match', findings: [] })
    const report = await ask(200, 'POST', path, { headers: signature, body: `${body}x` })
    expect(report).toMatchObject({ verdict: 'mismatch', findings: [{ code: 'body' }] })
    const { key } = await ask(200, 'GET', `/app/acme/endpoint/${endpointId}/secret`)
    expect(JSON.stringify(report)).not.toContain(String(key).slice(6, 20))
    expect(await ask(200, 'POST', path, { headers: 'hello' })).toMatchObject({ verdict: 'unreadable' })
    expect(fieldsIn(await ask(422, 'POST', path, {}))).toEqual(['body.headers'])
  })

  test('is for operators only, and needs the body that was sent', async () => {
    const world = await routesWorld(database, true)
    const { ask, message, posthorn } = world
    const { id: messageId } = await message()
    await posthorn.idle()
    const { data } = (await ask(200, 'GET', '/delivery')) as { data: { id: string }[] }
    const path = `/delivery/${data[0]?.id ?? ''}/check-signature`
    const { token } = await ask(200, 'POST', '/auth/app-portal-access/acme', {})
    const keys = [String(token), await world.token({ application: 'acme' }), await world.token({ access: 'read' })]
    for (const each of keys) await ask(403, 'POST', path, { headers: 'v1,x' }, { token: each })
    await ask(204, 'DELETE', `/app/acme/msg/${String(messageId)}/content`)
    expect(await ask(404, 'POST', path, { headers: 'v1,x' })).toMatchObject({ code: 'not_found' })
  })
})
