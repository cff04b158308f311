import { DatabaseSync } from '@photostructure/sqlite'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 120_000 }

/** A file with one paused endpoint, and what `fill` makes of it. */
async function filled(
  name: string,
  fill: (database: InstanceType<typeof DatabaseSync>, endpointId: string) => void,
): Promise<string> {
  const file = stage.file(name)
  const posthorn = new Posthorn({ store: sqlite(file) })
  const { id } = await posthorn.endpoints.create({ application: 'acme', url: 'https://hooks.acme.example/0' })
  await posthorn.endpoints.pause(id)
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await posthorn.stop()
  const database = new DatabaseSync(file)
  fill(database, id)
  database.close()
  return file
}

const counter = (most: number): string =>
  `with recursive counter(n) as (select 1 union all select n + 1 from counter where n < ${most})`

test('ten thousand endpoints are paged, and found by text, by application and by address', limit, async () => {
  const server = await stage.serve({
    delivers: false,
    database: await filled('endpoints.db', (database) =>
      database.exec(`${counter(9_999)}
insert into posthorn_endpoints (id, application_id, url, description)
select printf('ep_%019d', n), application_id, 'https://hooks.acme.example/' || n, case when n % 100 = 0 then 'one in a hundred' else '' end
from posthorn_endpoints, counter`),
    ),
  })
  const { page, complaints, close } = await stage.open(server)
  const answers = answersTo(page, /api\/v1\/endpoint\?/)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Endpoints' }).click()
  await page.getByRole('link', { name: 'hooks.acme.example/50', exact: true }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(50)
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('link', { name: 'hooks.acme.example/100', exact: true }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(50)
  await page.getByRole('button', { name: 'First page' }).click()
  await page.getByRole('link', { name: 'hooks.acme.example/1', exact: true }).waitFor()

  await page.getByLabel('Text in the URL or description').fill('example/9876')
  await expect.poll(() => page.locator('tbody .main a').allTextContents()).toEqual(['hooks.acme.example/9876'])
  await page.getByLabel('Text in the URL or description').fill('one in a hundred')
  await page.getByRole('link', { name: 'hooks.acme.example/100', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('link', { name: 'hooks.acme.example/9900', exact: true }).waitFor()
  expect(await page.locator('tbody tr').count()).toBe(49)
  await page.getByLabel('Text in the URL or description').fill('')
  await page.getByLabel('Application').fill('nobody')
  await page.getByText('Nothing matches').waitFor()
  await page.getByLabel('Application').press('Enter')
  await page.getByRole('alert').getByText('the id or uid of an application that exists').waitFor()
  expect(await page.locator('tbody tr').count()).toBe(0)
  await page.getByLabel('Application').fill('acm')
  await page.getByLabel('Application').press('Enter')
  await page.waitForURL('**/endpoints?application=acme')
  await page.getByRole('link', { name: 'hooks.acme.example/1', exact: true }).waitFor()

  await page.getByRole('link', { name: 'hooks.acme.example/1', exact: true }).click()
  await page.getByText('No delivery has succeeded yet, and none is failing.').waitFor()
  await page.goto(server.url)
  await page.locator('.sentence').waitFor()
  console.log(
    `10,000 endpoints: the slowest of ${answers.length} lists took ${Math.max(...answers.map(({ tookMs }) => tookMs))} ms`,
  )
  expect(answers.length).toBeGreaterThan(5)
  // However many there are, an answer holds a page of them.
  for (const { bytes } of answers) expect(bytes).toBeLessThan(200_000)
  expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
  await close()
})

test('a job goes on over a crash of the server, on a page that nobody reloads', limit, async () => {
  const many = 50_000
  const database = await filled('job.db', (filling, endpointId) =>
    filling
      .prepare(`${counter(many)}
insert into webhook_deliveries (id, webhook_id, application_id, message_id, event_type, status, reason, attempt_count, created_at, updated_at)
select printf('dlv_%019d', n), webhook_id, application_id, message_id, event_type, 'dead', 'exhausted', 6, 1, 1
from webhook_deliveries, counter
where webhook_id = ?`)
      .run(endpointId),
  )
  // The turn at bulk work is free again once the lease of the dead has run out.
  const server = await stage.serve({ database, environment: { POSTHORN_LEASE_MS: '1000' } })
  const { page, close } = await stage.open(server, { path: 'dead-letters' })
  await page.getByRole('button', { name: 'Retry all 50,000 matching' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Retry 50,000 now' }).click()
  await page.getByRole('heading', { name: 'Retry now: 50,000 deliveries' }).waitFor()
  await page.evaluate('window.isTheSame = true')
  await page.getByText(/^[1-9][\d,]* of 50,000 deliveries /).waitFor()
  await server.crash()
  const half = counts(database)
  expect(half.dead).toBeGreaterThan(0)
  expect(half.pending).toBeGreaterThan(1)
  await page.getByText('The connection to the server is lost.').waitFor()
  expect(await page.getByRole('progressbar').isVisible()).toBe(true)

  await server.restart()
  await page.getByText('The connection to the server is lost.').waitFor({ state: 'detached' })
  await page.getByText(/^Finished: 50,000 of 50,000 deliveries /).waitFor()
  expect(await page.evaluate('window.isTheSame')).toBe(true)
  expect(counts(database)).toEqual({ dead: 0, pending: many + 1 })
  await close()
})

interface Heard {
  readonly bytes: number
  readonly tookMs: number
}

/** The answers that the page gets to what matches, as they come. */
function answersTo(page: Page, pattern: RegExp): readonly Heard[] {
  const heard: Heard[] = []
  page.on('requestfinished', (request) => {
    if (!pattern.test(request.url())) return
    void request
      .sizes()
      .then(({ responseBodySize }) =>
        heard.push({ bytes: responseBodySize, tookMs: Math.round(request.timing().responseEnd) }),
      )
  })
  return heard
}

function counts(file: string): { dead: number; pending: number } {
  const database = new DatabaseSync(file, { readOnly: true })
  const of = (status: string): number =>
    Number(database.prepare('select count(*) as count from webhook_deliveries where status = ?').get(status)?.['count'])
  const found = { dead: of('dead'), pending: of('pending') }
  database.close()
  return found
}
