import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server
let local: Receiver

beforeAll(async () => {
  local = await receiver()
  server = await stage.serve()
  return () => local.close()
}, 60_000)

interface Row {
  readonly status: string
  readonly attempt_count: number
  readonly requeued_at: number | null
}

/** What the database itself says, read by a connection of our own. */
function rows(endpointId: string): Row[] {
  const database = new DatabaseSync(server.database, { readOnly: true })
  const found = database
    .prepare('select status, attempt_count, requeued_at from webhook_deliveries where webhook_id = ? order by id')
    .all(endpointId) as unknown as Row[]
  database.close()
  return found
}

async function endpoint(
  application: string,
  path: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  await server.call('POST', 'app?get_if_exists=true', { name: application, uid: application })
  return (await server.call<{ id: string }>('POST', `app/${application}/endpoint`, { url: local.url(path), ...more }))
    .id
}

function send(application: string, payload: unknown = { invoice: 7 }): Promise<{ id: string }> {
  return server.call('POST', `app/${application}/msg`, { eventType: 'invoice.paid', payload })
}

async function deliveryOf(endpointId: string): Promise<string> {
  const { data } = await server.call<{ data: { id: string }[] }>('GET', `delivery?endpoint=${endpointId}`)
  return data[0]?.id ?? ''
}

describe('an operator', () => {
  test('starts with nothing, adds an endpoint, sends, and sees it delivered live', limit, async () => {
    const { page, complaints, close } = await stage.open(server, { path: 'endpoints' })
    await page.getByText('No endpoints yet').waitFor()
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click()
    await page.getByLabel('Application').last().fill('first')
    await page.getByLabel('URL', { exact: true }).fill(local.url('/first'))
    await page.getByLabel('Event types').fill('invoice.paid, invoice.voided')
    await page.getByRole('button', { name: 'Add the endpoint' }).click()
    await page.getByRole('heading', { name: '/first', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Deliveries' }).last().click()
    await page.getByText('Nothing was sent here yet').waitFor()

    await send('first')
    const [receipt] = await local.waitFor(1, '/first')
    expect(receipt?.headers['webhook-signature']).toMatch(/^v1,/)
    const row = page.locator('tbody tr', { hasText: 'invoice.paid' })
    await row.getByText('delivered').first().waitFor()
    await row.getByRole('link', { name: 'invoice.paid' }).click()
    await page.getByText('Delivered on attempt 1').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test(
    'sees one failed attempt as a dead letter and not as a failing endpoint, retries it, and it is delivered, in the database too',
    limit,
    async () => {
      local.behave('/down', { status: 500, body: 'ledger closed for the day' })
      const id = await endpoint('down', '/down')
      const { page, complaints, close } = await stage.open(server)
      await send('down')
      await page.getByText('1 dead letter waits for your decision; nothing is lost.').waitFor()
      await page.getByRole('link', { name: 'Dead letters' }).first().click()
      await page.getByText('1 × HTTP 500: ledger closed for the day').waitFor()
      expect(rows(id)).toEqual([{ status: 'dead', attempt_count: 1, requeued_at: null }])

      await page.goto(`${server.url}deliveries/${await deliveryOf(id)}`)
      await page.getByText('Dead after 1 failed attempt.').waitFor()
      local.behave('/down', 200)
      await page.getByRole('button', { name: 'Retry now' }).click()
      await page.getByText('Delivered on attempt 1').waitFor()
      expect(await page.getByText('HTTP 500').count()).toBeGreaterThan(0)
      expect(await page.getByText('HTTP 200').count()).toBe(1)
      expect(rows(id)).toEqual([{ status: 'delivered', attempt_count: 1, requeued_at: expect.any(Number) as number }])
      expect(complaints).toEqual([])
      await close()
    },
  )

  test('retries a thousand dead letters after seeing the exact count, and watches the progress', limit, async () => {
    // Refused by the receiver, which is no reason for the breaker to open.
    local.behave('/thousand', { status: 400, body: 'not today' })
    const id = await endpoint('thousand', '/thousand')
    const { page, close } = await stage.open(server, { path: `dead-letters?endpoint=${id}` })
    for (let sent = 0; sent < 1_000; sent += 100) await Promise.all(Array.from({ length: 100 }, () => send('thousand')))
    await local.waitFor(1_000, '/thousand')
    await page.getByRole('button', { name: 'Retry all 1,000 matching' }).click()
    await page.getByRole('dialog', { name: 'Retry 1,000 deliveries now?' }).getByLabel('Reason').fill('They are back')
    local.behave('/thousand', 200)
    await page.getByRole('dialog').getByRole('button', { name: 'Retry 1,000 now' }).click()
    await page.getByRole('heading', { name: 'Retry now: 1,000 deliveries' }).waitFor()
    await page.getByRole('progressbar').waitFor()
    await page.reload()
    await page.getByText(/^Finished: 1,000 of 1,000 deliveries /).waitFor()
    await local.waitFor(2_000, '/thousand')
    await page.goto(`${server.url}deliveries?endpoint=${id}&status=pending&status=failed&status=dead`)
    await page.getByText('No delivery matches').waitFor()
    expect(new Set(rows(id).map(({ status }) => status))).toEqual(new Set(['delivered']))
    await close()
  })

  test('cancels only after a question, and the reason is kept', limit, async () => {
    local.behave('/cancel', 400)
    const id = await endpoint('cancel', '/cancel', { policy: 'patient' })
    await send('cancel')
    await local.waitFor(1, '/cancel')
    const { page, close } = await stage.open(server, { path: `deliveries/${await deliveryOf(id)}` })
    await page.getByText('Waiting for retry 1 of 9').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Keep it' }).click()
    expect(rows(id)).toMatchObject([{ status: 'failed' }])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Reason').fill('Sent by mail')
    await page.getByRole('button', { name: 'Cancel the delivery' }).click()
    await page.getByText('Cancelled').first().waitFor()
    expect(rows(id)).toMatchObject([{ status: 'dead' }])
    await page.goto(`${server.url}audit`)
    await page.getByText('Sent by mail').waitFor()
    await close()
  })

  test('sees what each attempt sent beside what came back, but no credential', limit, async () => {
    local.behave('/sent', { status: 400, body: 'unknown tenant' })
    const id = await endpoint('sent', '/sent', { headers: { 'X-Tenant': 'acme', Authorization: 'Bearer hidden' } })
    await send('sent')
    const [receipt] = await local.waitFor(1, '/sent')
    await expect.poll(() => rows(id).map(({ status }) => status)).toEqual(['dead'])
    const { page, close } = await stage.open(server, { path: `deliveries/${await deliveryOf(id)}` })
    await page.getByRole('region', { name: 'Response body of attempt 1' }).getByText('unknown tenant').waitFor()
    await page.getByText('Request 13 B').click()
    const sent = (await page.getByRole('region', { name: 'Request of attempt 1' }).textContent()) ?? ''
    const {
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
      'user-agent': agent,
    } = receipt?.headers ?? {}
    expect(sent.split('\n').toSorted()).toEqual(
      [
        `POST ${local.url('/sent')}`,
        'X-Tenant: (not shown)',
        'Authorization: (not shown)',
        'content-type: application/json',
        `user-agent: ${String(agent)}`,
        `webhook-id: ${String(messageId)}`,
        `webhook-timestamp: ${String(timestamp)}`,
        `webhook-signature: ${String(signature)}`,
      ].toSorted(),
    )
    await page.getByText('Headers as they were sent.').waitFor()
    await close()
  })

  test('copies a delivery as curl, or sees it where the browser does not allow copying', limit, async () => {
    const id = await endpoint('curl', '/curl')
    await send('curl')
    await local.waitFor(1, '/curl')
    const { page, close } = await stage.open(server, { path: `deliveries/${await deliveryOf(id)}` })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied a curl command with a fresh signature.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl .*webhook-signature: v1,/s)
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('dialog').getByText(local.url('/curl')).waitFor()
    await close()
  })

  test(
    'changes an endpoint, reveals its secret, makes a link to the portal, and pauses it with a reason',
    limit,
    async () => {
      const id = await endpoint('care', '/care', { headers: { 'X-Tenant': 'acme', Authorization: 'Bearer hidden' } })
      const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=settings` })
      await page.getByLabel('Headers').fill('X-Region: eu\nAuthorization: ••••••')
      await page.getByLabel('Event types').fill('invoice.paid')
      await page.getByLabel('Rate limit').fill('50')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved. The next attempt uses it.').waitFor()
      await send('care')
      const [receipt] = await local.waitFor(1, '/care')
      expect(receipt?.headers).toMatchObject({ 'x-region': 'eu', authorization: 'Bearer hidden' })
      expect(receipt?.headers).not.toHaveProperty('x-tenant')
      await page.getByLabel('Filter').fill('{"path":')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('The filter must be a JSON object').waitFor()

      await page.getByRole('link', { name: 'Secrets and authentication' }).click()
      await page.getByRole('button', { name: 'Reveal' }).click()
      await page.getByText(/^whsec_/).waitFor()
      await page.getByRole('navigation', { name: 'This endpoint' }).getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('button', { name: 'Create a link' }).click()
      await page.getByText('/login#key=').waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
      await page.getByLabel('Reason').fill('Maintenance')
      await page.getByRole('button', { name: 'Pause it' }).click()
      await page.getByRole('button', { name: 'Resume' }).waitFor()
      await page.getByText(/Paused .*Maintenance/).waitFor()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('A test of the type invoice.paid is on its way.').waitFor()
      await page.getByRole('button', { name: 'Resume' }).click()
      await local.waitFor(2, '/care')
      await close()
    },
  )
})

test('nobody works on a job: it can be paused, resumed and cancelled, and says so', limit, async () => {
  const idle = await stage.serve({ delivers: false })
  await idle.call('POST', 'app', { name: 'Acme', uid: 'acme' })
  await idle.call('POST', 'app/acme/endpoint', { url: local.url('/idle') })
  await idle.call('POST', 'app/acme/msg', { eventType: 'invoice.paid', payload: {} })
  const { id } = await idle.call<{ id: string }>('POST', 'job', { action: 'cancel', filter: { status: 'pending' } })
  const { page, close } = await stage.open(idle, { path: `jobs/${id}` })
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('it waits until somebody resumes it').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await page.goto(idle.url)
  const warning = page.getByText('No worker is alive, so 1 delivery cannot leave; nothing is lost.')
  await warning.waitFor()
  expect(await warning.count()).toBe(1)
  await close()
})
