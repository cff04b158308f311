import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { receiver } from '../../src/testing/receiver.ts'
import type { Receiver } from '../../src/testing/receiver.ts'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server
let local: Receiver

const refusal = {
  status: 503,
  body: '{"error":"upstream is away"}',
  headers: { server: 'nginx/1.27', 'x-request-id': 'req-4711', 'retry-after': '120', 'set-cookie': 'session=planted' },
}

beforeAll(async () => {
  local = await receiver()
  server = await stage.serve()
  return () => local.close()
}, 60_000)

/** A delivery to an endpoint of its own application, once it was tried. */
async function attempted(name: string, url: string, more: object = {}): Promise<string> {
  await server.call('POST', 'app', { uid: name, name })
  const { id } = await server.call<{ id: string }>('POST', `app/${name}/endpoint`, { url, ...more })
  await server.call('POST', `app/${name}/msg`, { eventType: 'invoice.paid', payload: { total: 7 } })
  const list = (): Promise<{ data: { id: string; status: string }[] }> => server.call('GET', `delivery?endpoint=${id}`)
  await expect.poll(async () => (await list()).data[0]?.status, { timeout: 30_000 }).toMatch(/dead|delivered/)
  return (await list()).data[0]?.id ?? ''
}

test('shows how a failed attempt went: why, steps, address, headers of both sides, body', limit, async () => {
  local.behave('/refuses', refusal)
  const id = await attempted('refuses', local.url('/refuses'), {
    headers: { 'X-Tenant': 'planted-tenant', 'X-Api-Key': 'planted-key' },
  })
  const { page, complaints, close } = await stage.open(server, { path: `deliveries/${id}` })
  const attempts = page.getByRole('list').filter({ hasText: 'attempt 1' }).first()
  await attempts.getByText('HTTP 503').waitFor()
  await attempts.getByText('it or a proxy in front of it is not available. It asked us to wait 2 min.').waitFor()
  const timing = page.getByRole('list', { name: 'Where the time went' })
  const words = (await timing.textContent()) ?? ''
  expect(words).toMatch(/^DNS \d+ msConnect \d+ msFirst byte \d+ ms.*Total \d+ ms$/)
  expect(await attempts.getByText('Address 127.0.0.1').isVisible()).toBe(true)

  const response = page.getByRole('region', { name: 'Response headers of attempt 1' })
  expect((await response.textContent())?.split('\n')).toEqual(
    expect.arrayContaining(['server: nginx/1.27', 'x-request-id: req-4711', 'set-cookie: (not shown)']),
  )
  expect(await page.getByRole('region', { name: 'Response body of attempt 1' }).textContent()).toBe(refusal.body)
  await page.getByText('Request', { exact: false }).and(page.locator('summary')).first().click()
  const request = page.getByRole('region', { name: 'Request of attempt 1' })
  const [receipt] = await local.waitFor(1, '/refuses')
  expect((await request.textContent())?.split('\n')).toEqual(
    expect.arrayContaining([
      `POST ${local.url('/refuses')}`,
      `webhook-signature: ${String(receipt?.headers['webhook-signature'])}`,
      'X-Tenant: (not shown)',
      'X-Api-Key: (not shown)',
    ]),
  )
  await page.getByText('Headers as they were sent.').waitFor()
  expect(await page.content()).not.toContain('planted')
  expect(complaints).toEqual([])
  await close()
})

test('says in which step a request got stuck, and that a connection was reused', limit, async () => {
  const nobody = createServer()
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
  const { port } = nobody.address() as AddressInfo
  await new Promise<void>((resolve) => void nobody.close(() => resolve()))
  const id = await attempted('nobody', `http://127.0.0.1:${port}/`)
  const { page, go, close } = await stage.open(server, { path: `deliveries/${id}` })
  await page.getByText('Nobody accepted the connection, so nothing was sent.').waitFor()
  expect(await page.getByRole('list', { name: 'Where the time went' }).textContent()).toMatch(
    /Connect \d+ ms, not finished/,
  )
  await page.getByText('Request (not sent)').waitFor()

  local.behave('/reused', { status: 500, body: 'no' })
  await attempted('first', local.url('/reused'))
  await go(`deliveries/${await attempted('second', local.url('/reused'))}`)
  await page.getByText('Connection reused').waitFor()
  await close()
})

test('the signature debugger says what differs, and shows no secret', limit, async () => {
  const id = await attempted('signature', local.url('/signature'))
  const [receipt] = await local.waitFor(1, '/signature')
  const { headers = {}, body = Buffer.from('') } = receipt ?? {}
  const { page, complaints, close } = await stage.open(server, { path: `deliveries/${id}` })
  await page.getByText('Signature debugger').click()
  const received = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    .map((name) => `${name}: ${String(headers[name])}`)
    .join('\n')
  const compare = page.getByRole('button', { name: 'Compare' })
  await page.getByLabel('Headers or signature').fill(received)
  await page.getByRole('textbox', { name: 'Body' }).fill(body.toString())
  await compare.click()
  await page.getByText('This is the signature of what attempt 1 sent, made with a secret of this endpoint.').waitFor()

  // Every space counts, also at the end, where forms like to take it off.
  await page.getByRole('textbox', { name: 'Body' }).fill(`${body.toString()} `)
  await compare.click()
  await page.getByText('White space was added at the end.').waitFor()
  await page.getByLabel('Headers or signature').fill('v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=')
  await page.getByRole('textbox', { name: 'Body' }).fill(body.toString())
  await compare.click()
  await page.getByText('so the secret is another one than those of this endpoint').waitFor()
  await page.getByLabel('Headers or signature').fill('hello')
  await compare.click()
  await page.getByText('Expected a signature, such as').waitFor()
  expect(complaints).toEqual([])
  await close()
})
