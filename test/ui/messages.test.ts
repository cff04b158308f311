import { DatabaseSync } from '@photostructure/sqlite'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { jsonProblem } from '../../src/ui/text/json-problem.ts'
import { progressSentence, progressState } from '../../src/ui/operator/message/message-progress.ts'
import type { Server } from './server.ts'
import { adminKey, useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server
let local: Receiver

beforeAll(async () => {
  local = await receiver()
  server = await stage.serve()
  return () => local.close()
}, 60_000)

async function customer(uid: string, paths: readonly string[]): Promise<void> {
  await server.call('POST', 'app', { name: `Customer ${uid}`, uid })
  for (const path of paths) await server.call('POST', `app/${uid}/endpoint`, { url: local.url(path) })
}

function send(uid: string, more: Readonly<Record<string, unknown>> = {}): Promise<{ id: string }> {
  return server.call('POST', `app/${uid}/msg`, { eventType: 'invoice.paid', payload: { invoice: 7 }, ...more })
}

/** What the database itself says of a message's deliveries, read by a connection of our own. */
function statusesOf(messageId: string): string[] {
  const database = new DatabaseSync(server.database, { readOnly: true })
  const found = database
    .prepare('select status from webhook_deliveries where message_id = ? order by id')
    .all(messageId) as unknown as { status: string }[]
  database.close()
  return found.map(({ status }) => status)
}

describe('an operator', () => {
  test('sees at a glance which messages need a look: the ordinary recedes', limit, async () => {
    await customer('glance', ['/glance'])
    const well = await send('glance')
    await local.waitFor(1, '/glance')
    local.behave('/glance', 500)
    const ill = await send('glance')
    await expect.poll(() => [statusesOf(well.id), statusesOf(ill.id)]).toEqual([['delivered'], ['dead']])
    const { page, close } = await stage.open(server, { path: 'messages?application=glance' })
    const weights = await page.evaluate<string[]>(
      '[...document.querySelectorAll("tbody tr td:first-child .state")].map((state) => getComputedStyle(state).fontWeight)',
    )
    expect(weights).toEqual(['550', '400'])
    await close()
  })

  test('finds a message by id, event id, idempotency key, customer, type and time', limit, async () => {
    await customer('finder', [])
    const { id } = await send('finder', { eventId: 'invoice-1042', eventType: 'found.me' })
    await fetch(`${server.url}api/v1/app/finder/msg`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${adminKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'only once',
      },
      body: JSON.stringify({ eventType: 'keyed.message', payload: {} }),
    })
    const { page, complaints, close } = await stage.open(server, { path: 'messages' })
    const search = page.getByPlaceholder('Message id, event id or key')
    const events = (): Promise<string[]> => page.locator('tbody .main a').allTextContents()
    for (const [text, wanted] of [
      [id, 'found.me'],
      ['only once', 'keyed.message'],
      ['invoice-1042', 'found.me'],
      ['VOICE-10', 'found.me'],
    ] as const) {
      await search.fill(text)
      await expect.poll(events, { message: text }).toEqual([wanted])
    }
    await page.waitForURL('**/messages?text=VOICE-10')
    await search.fill('')
    await page.getByLabel('Application').fill('finder')
    await page.getByLabel('Application').press('Enter')
    await expect.poll(events).toEqual(['keyed.message', 'found.me'])
    await page.getByLabel('Event type').fill('found.me')
    await page.getByLabel('Event type').press('Enter')
    await expect.poll(events).toEqual(['found.me'])
    await page.reload()
    await expect.poll(events).toEqual(['found.me'])
    await page.getByText('Custom', { exact: true }).click()
    await page.getByLabel('Created until').fill('2020-01-01T00:00')
    await page.getByText('No message matches').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await expect.poll(async () => (await events()).length).toBeGreaterThan(1)

    await page.locator('tbody tr', { hasText: 'invoice-1042' }).getByRole('link', { name: 'Customer finder' }).click()
    await page.getByRole('heading', { name: 'Customer finder', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('sees what came of a message at each endpoint, and resends it to those that failed', limit, async () => {
    local.behave('/refuses', { status: 400, body: 'not today' })
    local.behave('/also-refuses', 400)
    await customer('fan', ['/takes', '/refuses', '/also-refuses'])
    const { id } = await send('fan')
    await local.waitFor(1, '/also-refuses')
    const { page, complaints, close } = await stage.open(server, { path: `messages/${id}` })
    await page.getByText('1 of 3 deliveries arrived; 2 are dead.').waitFor()
    await page.getByRole('region', { name: 'Payload' }).getByText('"invoice": 7').waitFor()
    const refused = page.locator('tbody tr', { hasText: '/refuses' })
    await refused.getByText('HTTP 400: not today').waitFor()
    await refused.getByRole('link').click()
    await page.getByText('Dead after 1 failed attempt.').waitFor()
    await page.goBack()

    await page.getByRole('button', { name: 'Resend to all failed' }).click()
    const dialog = page.getByRole('dialog', { name: 'Resend 2 deliveries?' })
    await dialog.getByText('What was delivered is not sent again.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(statusesOf(id).toSorted()).toEqual(['dead', 'dead', 'delivered'])

    local.behave('/refuses', 200)
    local.behave('/also-refuses', 200)
    await page.getByRole('button', { name: 'Resend to all failed' }).click()
    await dialog.getByLabel('Reason').fill('They are back')
    await dialog.getByRole('button', { name: 'Resend 2' }).click()
    await page.getByText('Resending 2 deliveries.').waitFor()
    await page.getByText('All 3 deliveries arrived.').waitFor()
    expect(statusesOf(id)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(local.receipts.filter(({ path }) => path === '/takes')).toHaveLength(1)
    expect(await page.getByRole('button', { name: 'Resend to all failed' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('is told how many of those were cancelled by somebody', limit, async () => {
    local.behave('/stopped', 400)
    await customer('stopped', [])
    await server.call('POST', 'app/stopped/endpoint', { url: local.url('/stopped'), policy: 'patient' })
    const { id } = await send('stopped')
    await local.waitFor(1, '/stopped')
    const { data } = await server.call<{ data: { id: string }[] }>('GET', `delivery?message=${id}`)
    await expect
      .poll(() => server.call<{ status: string }>('GET', `delivery/${data[0]?.id ?? ''}`))
      .toMatchObject({ status: 'failed', inFlight: false })
    await server.call('POST', `delivery/${data[0]?.id ?? ''}/cancel`, {})
    const { page, close } = await stage.open(server, { path: `messages/${id}` })
    await page.getByText('Its only delivery is dead.').waitFor()
    await page.getByRole('button', { name: 'Resend to all failed' }).click()
    await page
      .getByRole('dialog', { name: 'Resend 1 delivery?' })
      .getByText('1 of them was cancelled by somebody.')
      .waitFor()
    expect(statusesOf(id)).toEqual(['dead'])
    await close()
  })

  test('sends one by hand from the example of its type, checked while typing, exactly as typed', limit, async () => {
    await customer('hand', ['/hand'])
    const schema = {
      type: 'object',
      required: ['invoice', 'total'],
      properties: { invoice: { type: 'integer' }, total: { type: 'string', examples: ['149.00'] } },
    }
    await server.call('POST', 'event-type', {
      name: 'hand.made',
      description: 'Made by hand.',
      schemas: { '1': schema },
    })
    const { page, complaints, close } = await stage.open(server, { path: 'messages?application=hand' })
    await page.getByRole('link', { name: 'Send a message' }).click()
    await page.getByRole('heading', { name: 'Send a message', level: 1 }).waitFor()
    await expect.poll(() => page.getByLabel('Application').inputValue()).toBe('Customer hand')
    const payload = page.getByLabel('Payload')
    await page.getByLabel('Event type').fill('hand.made')
    await page.getByLabel('Event type').press('Enter')
    await expect
      .poll(async () => JSON.parse(await payload.inputValue()) as unknown)
      .toEqual({
        invoice: 1,
        total: '149.00',
      })
    await page.getByText('This can be sent.').waitFor()

    await payload.fill('{\n  "invoice": 1,\n  "total": }')
    await page.getByText('This is not JSON yet: look at line 3, column 12.').waitFor()
    await page.getByRole('button', { name: 'Send the message' }).click()
    await page.getByRole('alert').getByText('This is not JSON yet').waitFor()
    await payload.fill('{"invoice": 1, "total": 149}')
    await page.getByText(/^The schema of hand\.made does not allow this: .*total/).waitFor()
    await page.getByRole('button', { name: 'Use the example again' }).click()
    await page.getByText('This can be sent.').waitFor()

    const exact = '{"invoice": 12345678901234567890,  "total": "1.00"}'
    await payload.fill(exact)
    await page.getByText('This can be sent.').waitFor()
    await page.getByLabel('Idempotency key').fill('by hand')
    await page.getByRole('button', { name: 'Send the message' }).click()
    await page.getByRole('heading', { name: 'hand.made', level: 1 }).waitFor()
    const [receipt] = await local.waitFor(1, '/hand')
    expect(Buffer.from(receipt?.body ?? '').toString()).toBe(exact)
    await page.getByText('It was delivered.').waitFor()
    const first = page.url()

    // The same under the same key is the same message; another is refused.
    await page.goto(`${server.url}messages/send?application=hand&event_type=hand.made`)
    await payload.fill(exact)
    await page.getByLabel('Idempotency key').fill('by hand')
    await page.getByRole('button', { name: 'Send the message' }).click()
    await page.getByRole('heading', { name: 'hand.made', level: 1 }).waitFor()
    expect(page.url()).toBe(first)
    expect(local.receipts.filter(({ path }) => path === '/hand')).toHaveLength(1)
    expect(complaints).toEqual([])
    await close()
  })

  test('is told when a customer does not exist, and when nobody wants what was sent', limit, async () => {
    await customer('nobody-listens', [])
    const { page, close } = await stage.open(server, { path: 'messages/send' })
    await page.getByLabel('Application').fill('no-such-customer')
    await page.getByLabel('Event type').fill('lost.cause')
    await page.getByRole('button', { name: 'Send the message' }).click()
    await page.getByRole('alert').getByText('the id or uid of an application that exists').waitFor()
    await page.getByLabel('Application').fill('nobody-listens')
    await page.getByRole('button', { name: 'Send the message' }).click()
    await page.getByText('No endpoint of the application wanted it when it was sent.').waitFor()
    await page.getByText('It went to no endpoint').waitFor()
    expect(await page.getByRole('button', { name: 'Resend to all failed' }).count()).toBe(0)
    await close()
  })

  test('looks further back, where a part of a name is among older messages', limit, async () => {
    await customer('long', [])
    await send('long', { eventId: 'needle-in-the-hay' })
    for (let sent = 0; sent < 1_100; sent += 100)
      await Promise.all(Array.from({ length: 100 }, () => send('long', { eventType: 'hay' })))
    const { page, close } = await stage.open(server, { path: 'messages?text=needle-in&application=long' })
    await page.getByText('None of these 1,000 messages matches').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('needle-in-the-hay').waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await close()
  })
})

const none = { pending: 0, failed: 0, delivered: 0, dead: 0 }

test.each([
  [none, 'no deliveries', 'No endpoint of the application wanted it when it was sent.'],
  [{ ...none, delivered: 1 }, 'delivered', 'It was delivered.'],
  [{ ...none, delivered: 3 }, 'delivered', 'All 3 deliveries arrived.'],
  [{ ...none, pending: 1 }, 'queued', 'Its only delivery is queued.'],
  [{ ...none, failed: 2 }, 'retrying', 'None of 2 deliveries arrived; 2 are retrying.'],
  [
    { pending: 1, failed: 2, delivered: 4, dead: 1 },
    '1 of 8 dead',
    '4 of 8 deliveries arrived; 1 is dead, 2 are retrying, 1 is queued.',
  ],
])('what came of %j is said in a word and a sentence', (deliveries, word, sentence) => {
  expect(progressState(deliveries).word).toBe(word)
  expect(progressSentence(deliveries)).toBe(sentence)
})

test.each([
  ['{}', null],
  [' {"a": [1]} ', null],
  ['', 'Nothing is here yet. The payload is a JSON object; the least is {}.'],
  ['[1]', 'This is JSON, but no object: a payload begins with { and ends with }.'],
  ['7', 'This is JSON, but no object: a payload begins with { and ends with }.'],
  ['{"a": 1', 'This is not JSON yet: its end is missing.'],
  ['{"a": 1,}', 'This is not JSON yet: look at line 1, column 9.'],
  ['{"a": {"b": [1, 2}}', 'This is not JSON yet: look at line 1, column 18.'],
  ['{"a" 1}', 'This is not JSON yet: look at line 1, column 6.'],
  ['{a: 1}', 'This is not JSON yet: look at line 1, column 2.'],
  ['{"a": [1,]}', 'This is not JSON yet: look at line 1, column 10.'],
  ['{"a": "\\x"}', 'This is not JSON yet: look at line 1, column 7.'],
  ['{} {}', 'This is not JSON yet: look at line 1, column 4.'],
  ['{"a": [{}, [], "😀", -1.5e3, null], "b": ', 'This is not JSON yet: its end is missing.'],
  ['{\n  "a": x\n}', 'This is not JSON yet: look at line 2, column 8.'],
])('the payload %j is judged while it is typed', (text, problem) => expect(jsonProblem(text)).toBe(problem))
