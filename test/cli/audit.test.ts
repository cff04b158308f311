import { describe, expect, test } from 'vitest'
import { isFast } from '../postgres.ts'
import { run } from './run.ts'
import { shop } from './shop.ts'

describe.each(isFast ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const))('on %s', (database) => {
  test('audit --json exports every entry, one per line; without it a page is a table', async () => {
    const { environment, posthorn, endpointId } = await shop(database)
    for (let turn = 0; turn < 130; turn += 1) {
      await posthorn.endpoints.pause(endpointId, { by: 'kim' })
      await posthorn.endpoints.resume(endpointId, { by: 'kim', reason: `turn ${turn}` })
    }
    const exported = await run(['audit', '--actor', 'kim', '--json'], environment)
    expect(exported).toMatchObject({ code: 0, stderr: '' })
    const entries = exported.lines.map((line) => JSON.parse(line) as { id: string; action: string; from: string })
    expect(new Set(entries.map(({ id }) => id)).size).toBe(260)
    expect(entries.every(({ from }) => from === 'library')).toBe(true)

    const changed = await run(
      ['endpoints', 'update', endpointId, '--url', 'http://127.0.0.1:9/new?token=s3cret'],
      environment,
    )
    expect(changed.code).toBe(0)
    const shown = await run(['audit', '--action', 'endpoint.update'], environment)
    expect(shown.code).toBe(0)
    expect(shown.lines[0]).toMatch(/^TIME +WHO +FROM +ACTION +TARGET +WHAT AND WHY$/)
    expect(shown.lines[1]).toMatch(
      /^\S+ +cli\S* +cli +endpoint\.update +ep_\w+ +url: http:\/\/127\.0\.0\.1:9\/hooks → http:\/\/127\.0\.0\.1:9\/new\?token=\*\*\*$/,
    )
    const page = await run(['audit', '--actor', 'kim', '--limit', '2'], environment)
    expect(page.lines).toHaveLength(3)
    expect(page.stderr).toContain('There are more: --iterator ')
    expect((await run(['audit', '--target', 'nothing'], environment)).lines).toEqual(['no entries'])
  })

  test('applications erase asks for --yes, then erases and shows how far it is', async () => {
    const { environment, send, store, posthorn } = await shop(database)
    const [deliveryId = ''] = await send(3)
    const refused = await run(['applications', 'erase', 'acme'], environment)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('expected --yes') })
    expect(await store.directory.delivery(deliveryId)).not.toBeNull()

    const erased = await run(['applications', 'erase', 'acme', '--yes', '--why', 'asked to'], environment)
    expect(erased).toMatchObject({ code: 0, lines: ['erased 3 of 3'] })
    expect(await store.directory.delivery(deliveryId)).toBeNull()
    expect(await posthorn.audit({ action: 'application.delete' })).toMatchObject([{ from: 'cli', reason: 'asked to' }])
    expect((await run(['applications', 'ls'], environment)).lines).toHaveLength(1)
    const again = await run(['applications', 'erase', 'acme', '--yes'], environment)
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('application') })
  })

  test('messages erase asks for --yes, then erases the payload and leaves the row', async () => {
    const { environment, send, posthorn } = await shop(database)
    const [deliveryId = ''] = await send(1)
    const { messageId } = await posthorn.deliveries.get(deliveryId)
    expect((await run(['messages', 'erase', 'acme', messageId], environment)).code).toBe(2)
    expect(await posthorn.messages.get('acme', messageId)).toMatchObject({ erasedAt: null })
    const erased = await run(['messages', 'erase', 'acme', messageId, '--yes'], environment)
    expect(erased).toMatchObject({ code: 0, lines: [`erased the payload of ${messageId}`] })
    expect((await posthorn.messages.get('acme', messageId)).body).toHaveLength(0)
    expect(await posthorn.deliveries.get(deliveryId)).toMatchObject({ status: 'dead', reason: 'cancelled' })
  })
})
