import { DatabaseSync } from '@photostructure/sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { makeGate } from '../engine/gate.ts'
import type { Server } from './server.ts'
import { keepShop } from './shop.ts'
import { adminKey, useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server
let local: Receiver

beforeAll(async () => {
  // Refused, unless a test says otherwise: with one send each, all is dead at once, and no breaker opens.
  local = await receiver({ behaviour: 400 })
  server = await stage.serve()
  return () => local.close()
}, 60_000)

interface Made {
  readonly id: string
}

async function endpoint(application: string, path: string): Promise<string> {
  await server.call('POST', 'app?get_if_exists=true', { name: application, uid: application })
  return (await server.call<Made>('POST', `app/${application}/endpoint`, { url: local.url(path) })).id
}

async function deadLetter(application: string, path: string, payload: unknown = { invoice: 7 }): Promise<string> {
  const id = await endpoint(application, path)
  await server.call('POST', `app/${application}/msg`, { eventType: 'invoice.paid', payload })
  await local.waitFor(1, path)
  await expect
    .poll(() =>
      server.call<{ data: Made[] }>('GET', `delivery?endpoint=${id}&status=dead`).then(({ data }) => data.length),
    )
    .toBe(1)
  const { data } = await server.call<{ data: Made[] }>('GET', `delivery?endpoint=${id}`)
  return data[0]?.id ?? ''
}

describe('a session', () => {
  test('that has expired leads to the door, and from there back to the same page', limit, async () => {
    const { page, close } = await stage.open(server, { path: 'deliveries?status=dead' })
    // The server writes, too: a moment may pass.
    const database = new DatabaseSync(server.database, { timeout: 10_000 })
    database.exec('update posthorn_keys set expires_at = 1 where session_of is not null')
    database.close()
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel('API key').fill('phk_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This key is not known, or it has ended.').waitFor()
    await page.getByLabel('API key').fill(adminKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    expect(new URL(page.url()).search).toBe('?status=dead')
    expect(await page.evaluate('document.cookie')).toBe('')
    await close()
  })

  test('ends when its key is revoked, wherever that was done', limit, async () => {
    const { id, token } = await server.call<Made & { token: string }>('POST', 'key', { name: 'kim', access: 'read' })
    const { page, close } = await stage.open(server, { key: token })
    await page.getByText('kim').waitFor()
    await server.call('DELETE', `key/${id}`)
    await page.getByText('Your session has ended: it has expired, or its key was revoked.').waitFor()
    expect(await page.getByLabel('API key').isVisible()).toBe(true)
    await close()
  })

  test('that somebody leaves by hand is not called ended', limit, async () => {
    const { page, close } = await stage.open(server)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await page.getByText('Your session has ended').count()).toBe(0)
    await close()
  })

  test('from a link to the portal leaves no key in the address, and sees one application only', limit, async () => {
    const mine = await deadLetter('mine', '/mine')
    await deadLetter('theirs', '/theirs')
    const link = await server.call<{ url: string }>('POST', 'auth/app-portal-access/mine', {})
    const { page, close } = await stage.open(server, { key: null })
    await page.goto(link.url)
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor()
    expect(page.url()).toBe(`${server.url}portal`)
    for (const path of ['settings', 'dead-letters', `deliveries/${mine}`]) {
      await page.goto(`${server.url}${path}`)
      await page.waitForURL(`${server.url}portal`)
    }
    await page.getByText('/mine').waitFor()
    expect(await page.getByText('/theirs').count()).toBe(0)
    local.behave('/mine', 200)
    await page.goto(`${server.url}portal/logs`)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('200', { exact: true }).waitFor()
    await close()
  })
})

test(
  'a server that crashes is missed on the page, which stays, and goes on when the server is back',
  limit,
  async () => {
    const other = await stage.serve()
    const { page, close } = await stage.open(other)
    await other.crash()
    await page.getByText('The connection to the server is lost.').waitFor()
    expect(await page.locator('.sentence').isVisible()).toBe(true)
    await other.restart()
    await page.getByText('The connection to the server is lost.').waitFor({ state: 'detached' })
    await page.goto(`${other.url}tail`)
    await page.getByText('listening').waitFor()
    await other.crash()
    await page.getByText('The connection to the server is lost.').waitFor()
    await other.restart()
    await page.getByText('listening').waitFor()
    await close()
  },
)

describe('an API', () => {
  test('that is slow shows skeletons on a page that can be used, and then its data', limit, async () => {
    await endpoint('slow', '/slow')
    const { page, close } = await stage.open(server)
    const gate = makeGate()
    await page.route(/api\/v1\/endpoint\?/, async (route) => {
      await gate.opened
      await route.continue()
    })
    const pages = page.getByRole('navigation', { name: 'Pages' })
    await pages.getByRole('link', { name: 'Endpoints' }).click()
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
    await page.locator('[aria-busy=true]').waitFor()
    await page.getByLabel('Text in the URL or description').fill('slow')
    await page.waitForURL('**/endpoints?text=slow')
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await page.getByRole('dialog', { name: 'Add an endpoint' }).waitFor()
    await page.keyboard.press('Escape')
    await pages.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
    await page.goBack()
    await page.locator('[aria-busy=true]').waitFor()
    gate.open()
    await page.getByRole('link', { name: '/slow' }).waitFor()
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
    expect(await page.locator('tbody tr').count()).toBe(1)
    await close()
  })

  test('that fails says why, and is asked again by a button', limit, async () => {
    const { page, go, close } = await stage.open(server)
    // This page reads once: only the button asks again.
    const answer = /api\/v1\/config/
    await page.route(answer, (route) =>
      route.fulfill({ status: 503, json: { code: 'overloaded', detail: 'The database does not answer.' } }),
    )
    await go('settings')
    await page.getByRole('alert').getByText('The database does not answer.').waitFor()
    await page.unroute(answer)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Retry policies' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await close()
  })

  test('that fails after it had answered leaves what was read, and says that it is old', limit, async () => {
    await deadLetter('later', '/later')
    const { page, close } = await stage.open(server, { path: 'deliveries?application=later' })
    const answer = /api\/v1\/delivery\?/
    await page.route(answer, (route) =>
      route.fulfill({ status: 503, json: { code: 'overloaded', detail: 'The database does not answer.' } }),
    )
    await page
      .getByText('This is older data, because the latest could not be loaded: The database does not answer.')
      .waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.unroute(answer)
    await page.getByText('This is older data').waitFor({ state: 'detached' })
    await close()
  })
})

test('an answer that is a refusal can be asked for again', limit, async () => {
  const { page, close } = await stage.open(server, { path: 'deliveries/dlv_unknown' })
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  const [answer] = await Promise.all([
    page.waitForResponse(/delivery\/dlv_unknown/),
    page.getByRole('button', { name: 'Try again' }).click(),
  ])
  expect(answer.status()).toBe(422)
  await close()
})

test('a payload of almost a megabyte and an answer of junk leave the page usable', limit, async () => {
  local.behave('/junk', { status: 400, body: Uint8Array.from({ length: 5_000 }, (_, index) => index * 13) })
  const id = await deadLetter('junk', '/junk', { text: 'x'.repeat(900_000) })
  const { page, complaints, close } = await stage.open(server, { path: `deliveries/${id}` })
  expect((await page.getByRole('region', { name: 'Payload' }).textContent())?.length).toBe(20_000)
  local.behave('/junk', 200)
  await page.getByRole('button', { name: 'Retry now' }).click()
  await page.getByText('Delivered on attempt 1').waitFor()
  expect(complaints).toEqual([])
  await close()
})

describe('hostile text', () => {
  const hostile = `"><img src=x onerror="window.ranAway=1"><script>window.ranAway=1</script><svg onload="window.ranAway=1"></svg>{{1+1}}javascript:window.ranAway=1`

  test('in every field is shown and never run', { timeout: 120_000 }, async () => {
    const shop = await keepShop(stage.file('hostile.db'), (text) => `${text}${hostile}`)
    await shop.posthorn.stop()
    const spoilt = await stage.serve({ database: stage.file('hostile.db'), delivers: false })
    const job = await spoilt.call<Made>('POST', 'job', {
      action: 'requeue',
      filter: { status: 'dead' },
      reason: hostile,
    })
    const { page, complaints, go, close } = await stage.open(spoilt)
    const pages = [
      '',
      'deliveries',
      `deliveries/${shop.failed}`,
      `deliveries/${shop.dead}`,
      'dead-letters',
      'endpoints',
      `endpoints/${shop.ledger.id}`,
      `endpoints/${shop.crm.id}`,
      'jobs',
      `jobs/${job.id}`,
      'event-types',
      'audit',
      'settings',
    ]
    for (const path of pages) {
      await go(path)
      expect(await page.getByText('onerror=').count(), path).toBeGreaterThan(0)
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true')
      expect(
        await page.evaluate(
          '[window.ranAway, document.images.length, document.querySelectorAll("main script, [onload], [onerror]").length]',
        ),
        path,
      ).toEqual([undefined, 0, 0])
    }
    expect(complaints).toEqual([])
    await close()
  })

  test('in what an endpoint answers runs nothing in the live tail', limit, async () => {
    local.behave('/hostile', { status: 400, body: hostile })
    const { page, complaints, close } = await stage.open(server, { path: 'tail' })
    await page.getByText('listening').waitFor()
    await deadLetter('hostile', '/hostile')
    await page.getByText('onerror=').last().waitFor()
    expect(await page.evaluate('[window.ranAway, document.images.length]')).toEqual([undefined, 0])
    expect(complaints).toEqual([])
    await close()
  })
})
