import { beforeAll, describe, expect, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { makeCertificate } from '../transport/certificate.ts'
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

async function endpoint(application: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  await server.call('POST', 'app?get_if_exists=true', { name: application, uid: application })
  const url = local.url(`/${application}`)
  return (await server.call<{ id: string }>('POST', `app/${application}/endpoint`, { url, ...more })).id
}

function send(application: string, payload: unknown = { total: 7 }): Promise<{ id: string }> {
  return server.call('POST', `app/${application}/msg`, { eventType: 'invoice.paid', payload })
}

function detail(id: string): Promise<{ filter: unknown; authentication: unknown; url: string }> {
  return server.call('GET', `endpoint/${id}`)
}

describe('the overview of an endpoint', () => {
  test('says how it stands, what failed last with its delivery, and when the next retry comes', limit, async () => {
    local.behave('/worse', { status: 503, body: 'closed for the day' })
    const id = await endpoint('worse', { policy: 'patient' })
    await send('worse')
    await local.waitFor(1, '/worse')
    const { page, complaints, close } = await stage.open(server, { path: `endpoints/${id}` })
    const error = page.locator('.panel', { hasText: 'Last error' })
    await error.getByText('HTTP 503: closed for the day').waitFor()
    await page.locator('.figures li', { hasText: 'Success rate' }).getByText('0 %').waitFor()
    await page.locator('.figures li', { hasText: 'Next retry' }).getByText(/^in /).waitFor()
    await page.getByText('0 delivered, 1 failed attempt, 0 dead; each bar is 15 min').waitFor()
    await page.getByText('7 days').click()
    await page.waitForURL(`**/endpoints/${id}?window=7d`)
    await page.getByText('each bar is 2 h').waitFor()
    await error.getByRole('link', { name: 'Open its delivery' }).click()
    await page.waitForURL('**/deliveries/dlv_*')
    await page.getByText('Waiting for retry 1 of 9').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('is one of four tabs that the address knows, over a reload and back', limit, async () => {
    const id = await endpoint('tabs')
    const { page, go, close } = await stage.open(server, { path: `endpoints/${id}` })
    const tab = page.getByRole('navigation', { name: 'This endpoint' })
    for (const [name, address, words] of [
      ['Deliveries', 'deliveries', 'Nothing was sent here yet'],
      ['Settings', 'settings', 'How it is sent'],
      ['Secrets and authentication', 'security', 'Nothing beyond the signature'],
    ] as const) {
      await tab.getByRole('link', { name }).click()
      await page.waitForURL(`**/endpoints/${id}?tab=${address}`)
      await page.reload()
      await page.getByText(words).waitFor()
      expect(await tab.locator('[aria-current]').textContent()).toBe(name)
    }
    await page.goBack()
    await page.getByText('How it is sent').waitFor()
    await go(`endpoints/${id}?tab=nonsense`)
    expect(await tab.locator('[aria-current]').textContent()).toBe('Overview')
    await close()
  })

  test('on a phone begins with the status', limit, async () => {
    const id = await endpoint('phone')
    const { page, close } = await stage.open(server, {
      path: `endpoints/${id}`,
      viewport: { width: 390, height: 844 },
    })
    const top = async (selector: string): Promise<number> => (await page.locator(selector).boundingBox())?.y ?? 0
    const status = await top('.standing .state')
    expect(status).toBeLessThan(300)
    for (const later of ['.standing .actions', '.tabs', '.figures']) expect(await top(later)).toBeGreaterThan(status)
    await close()
  })
})

describe('the settings of an endpoint', () => {
  test.each([
    ['URL', 'nonsense', 'Expected url to be an absolute http(s) URL', 'https://other.example/'],
    ['URL', 'https://10.0.0.1/', 'Expected url', 'https://other.example/'],
    ['Event types', 'invoice paid!', 'an event type, or the words that it begins with', 'invoice.*'],
    ['Channels', 'a/b', 'Expected channels', 'eu'],
    ['Rate limit', '0', 'Expected throttleRate', '5'],
    ['Headers', 'no colon', 'must be like "X-Name: value"', 'X-Name: value'],
    ['Headers', 'Host: x', 'free of names that HTTP or the signature uses', ''],
    ['Payload filter', '{"path": "total"}', 'an object with one of and, or, not', ''],
  ] as const)('are checked by the rules of the server while somebody types: %s %s', limit, async (...row) => {
    const [label, bad, words, good] = row
    const id = await endpoint('typing')
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=settings` })
    const field = page.getByLabel(label, { exact: label === 'URL' })
    await field.fill(bad)
    await page.getByText(words).waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.fill(good)
    await page.getByText(words).waitFor({ state: 'detached' })
    expect((await detail(id)).url).toBe(local.url('/typing'))
    await close()
  })

  test('have a filter that is tried on recent payloads before it is saved', limit, async () => {
    const id = await endpoint('filter')
    for (let total = 0; total < 20; total += 1) await send('filter', { total })
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=settings` })
    const field = page.getByLabel('Payload filter')
    await field.fill('{"path": "total", "greater": 12}')
    await page.getByText('Matches 7 of the last 20 messages of this application.').waitFor()
    await page.getByText('Which ones').click()
    expect(await page.locator('.tried .good').count()).toBe(7)

    await field.fill('{"path": "total", "greater": 100}')
    await page.getByText('Matches 0 of the last 20 messages').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Save a filter that matches nothing?' })
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect((await detail(id)).filter).toBeNull()

    await field.fill('{"path": "total", "greater": 12}')
    await page.getByText('Matches 7 of the last 20').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. The next attempt uses it.').waitFor()
    expect((await detail(id)).filter).toEqual({ path: 'total', greater: 12 })
    await close()
  })

  test('offer the event types that there are', limit, async () => {
    await server.call('POST', 'event-type', { name: 'parcel.sent', description: 'It has left.' })
    const id = await endpoint('types', { eventTypes: ['invoice.paid'] })
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=settings` })
    await page.getByRole('combobox', { name: 'Event types' }).fill('invoice.paid, parc')
    await page.getByRole('option', { name: 'parcel.sent' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. The next attempt uses it.').waitFor()
    expect(await detail(id)).toMatchObject({ types: ['invoice.paid', 'parcel.sent'] })
    await close()
  })

  test('choose the retry policy from those that there are', limit, async () => {
    const id = await endpoint('policy')
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=settings` })
    await page.getByLabel('Retry policy').selectOption('patient')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. The next attempt uses it.').waitFor()
    expect(await detail(id)).toMatchObject({ policy: 'patient' })
    await close()
  })

  test('can be looked at, and no more, with a key that may only read', limit, async () => {
    const id = await endpoint('reader', { headers: { 'X-Tenant': 'secret value' } })
    const { token } = await server.call<{ token: string }>('POST', 'key', { name: 'reader', access: 'read' })
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=settings`, key: token })
    await page.getByText('X-Tenant').waitFor()
    expect(await page.locator('main').locator('input, textarea, button').count()).toBe(0)
    expect(await page.content()).not.toContain('secret value')
    await close()
  })
})

describe('the authentication of an endpoint', () => {
  test('is a token that is sent, and never shown again', limit, async () => {
    const id = await endpoint('bearer')
    const { page, complaints, close } = await stage.open(server, { path: `endpoints/${id}?tab=security` })
    await page.getByRole('button', { name: 'Set up authentication' }).click()
    await page.getByLabel('Method').selectOption('bearer')
    await page.getByRole('textbox', { name: 'Token' }).fill('two words')
    await page.getByText('characters that a header can carry').waitFor()
    await page.getByRole('textbox', { name: 'Token' }).fill('the-token-of-the-test')
    await page.getByText('characters that a header can carry').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save the authentication' }).click()
    await page.getByText('••••••').waitFor()
    expect(await page.content()).not.toContain('the-token-of-the-test')
    await send('bearer')
    const [receipt] = await local.waitFor(1, '/bearer')
    expect(receipt?.headers).toMatchObject({ authorization: 'Bearer the-token-of-the-test' })

    await page.getByRole('button', { name: 'Remove …' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('Nothing beyond the signature').waitFor()
    expect((await detail(id)).authentication).toBeNull()
    // What the check refused, the browser notes by itself.
    expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([])
    await close()
  })

  test('is any of the other ways, each with the fields it needs', limit, async () => {
    const id = await endpoint('ways')
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=security` })
    const save = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Save the authentication' }).click()
      await page.getByRole('button', { name: 'Save the authentication' }).waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Set up authentication' }).click()
    await page.getByLabel('Method').selectOption('basic')
    await page.getByRole('textbox', { name: 'User name' }).fill('posthorn')
    await page.getByRole('textbox', { name: 'Password' }).fill('secret')
    await save()
    expect((await detail(id)).authentication).toEqual({ basic: { username: 'posthorn', password: '***' } })

    await page.getByRole('button', { name: 'Change' }).click()
    expect(await page.getByRole('textbox', { name: 'User name' }).inputValue()).toBe('posthorn')
    expect(await page.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('')
    await page.getByLabel('Method').selectOption('apiKey')
    await page.getByRole('textbox', { name: 'Header' }).fill('x-api-key')
    await page.getByLabel('Key', { exact: true }).fill('secret')
    await save()
    expect((await detail(id)).authentication).toEqual({ apiKey: { header: 'x-api-key', key: '***' } })

    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Method').selectOption('oauth2')
    await page.getByRole('textbox', { name: 'Token URL' }).fill('https://10.0.0.1/token')
    await page.getByRole('textbox', { name: 'Client id' }).fill('posthorn')
    await page.getByRole('textbox', { name: 'Client secret' }).fill('secret')
    await page.getByText('Expected authentication.oauth2.tokenUrl').waitFor()
    expect(await page.getByRole('textbox', { name: 'Token URL' }).getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('textbox', { name: 'Token URL' }).fill(local.url('/token'))
    await page.getByRole('textbox', { name: 'Scope' }).fill('hooks')
    await page.getByLabel('Id and secret in').selectOption('body')
    await save()
    expect((await detail(id)).authentication).toEqual({
      oauth2: {
        tokenUrl: local.url('/token'),
        clientId: 'posthorn',
        clientSecret: '***',
        scope: 'hooks',
        credentialsIn: 'body',
      },
    })
    await close()
  })

  test('is a client certificate and an extra authority, which the server looks into', limit, async () => {
    const id = await endpoint('certificate', { url: 'https://hooks.acme.example/' })
    const { page, close } = await stage.open(server, { path: `endpoints/${id}?tab=security` })
    await page.getByRole('button', { name: 'Set up authentication' }).click()
    await page.getByText('Client certificate (mTLS)').click()
    const authority = page.getByLabel('Extra certificate authority')
    await authority.fill('no certificate')
    await page.getByText('Expected authentication.ca to be text in PEM form').waitFor()
    const [own, other] = [makeCertificate({ name: 'posthorn' }), makeCertificate({ name: 'other' })]
    const trusted = makeCertificate({ name: 'authority', isAuthority: true }).cert
    await authority.fill(trusted)
    await page.getByText('Expected authentication.ca').waitFor({ state: 'detached' })
    await page.getByLabel('Client certificate').fill(own.cert)
    await page.getByLabel('Private key').fill(other.key)
    await page.getByText('to be the key of the certificate').waitFor()
    expect(await page.getByLabel('Private key').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Private key').fill(own.key)
    await page.getByText('to be the key of the certificate').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save the authentication' }).click()
    await page.getByText('Extra authority', { exact: true }).waitFor()
    expect((await detail(id)).authentication).toEqual({
      clientCertificate: { certificate: own.cert.trim(), privateKey: '***' },
      ca: trusted.trim(),
    })
    await close()
  })
})
