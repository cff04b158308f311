import { beforeAll, describe, expect, test } from 'vitest'
import { labelPlaces, ticksUpTo } from '../../src/ui/parts/chart/axis.ts'
import { unmeasured } from '../../src/ui/parts/chart/series.ts'
import type { Server } from './server.ts'
import { keepShop } from './shop.ts'
import { useStage } from './stage.ts'

const stage = useStage()
const limit = { timeout: 60_000 }
let server: Server

// Nobody delivers any more: what is on a page stays as it is while it is looked at.
beforeAll(async () => {
  const shop = await keepShop(stage.file('shop.db'))
  await shop.posthorn.stop()
  server = await stage.serve({ database: stage.file('shop.db'), delivers: false })
}, 120_000)

test('what waits now stands apart from what happened in the range', limit, async () => {
  const { page, complaints, close } = await stage.open(server)
  const now = page.getByRole('region', { name: 'Now' })
  expect(await now.locator('.name').allTextContents()).toEqual(['Queued', 'Retrying', 'Held', 'Dead letters', 'Oldest'])
  const names = ['Delivered', 'Success rate', 'Latency, median', 'Latency, p95']
  const hour = page.getByRole('region', { name: 'Last hour' })
  expect(await hour.locator('.counters .name').allTextContents()).toEqual(names)
  const waiting = await now.locator('.value').allTextContents()
  await page.getByText('Last 7 days').click()
  const week = page.getByRole('region', { name: 'Last 7 days' })
  await week.waitFor()
  expect(await now.locator('.value').allTextContents()).toEqual(waiting)
  expect(complaints).toEqual([])
  await close()
})

describe('a chart', () => {
  test('says the exact values under the pointer, and a click leads to the deliveries of that time', limit, async () => {
    const { page, complaints, close } = await stage.open(server)
    const drawing = page.getByRole('figure', { name: 'Throughput' }).locator('.drawing')
    const bar = drawing.locator('rect.delivered').nth(20)
    await bar.hover()
    const values = drawing.locator('.pointed-values')
    expect(await values.innerText()).toMatch(/^\d\d:\d\d\s+delivered\s+\d+\s+failed attempts\s+\d+\s+dead\s+\d+/)
    await bar.click()
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
    const asked = new URL(page.url()).searchParams
    const [since, until] = [asked.get('since') ?? '', asked.get('until') ?? '']
    expect(Date.parse(until) - Date.parse(since)).toBe(60_000)
    await page.locator('tbody tr').first().waitFor()
    const created = await server.call<{ data: { createdAt: string }[] }>('GET', `delivery?${asked.toString()}`)
    expect(created.data.length).toBeGreaterThan(0)
    expect(created.data.every(({ createdAt }) => createdAt >= since && createdAt < until)).toBe(true)
    expect(complaints).toEqual([])
    await close()
  })

  test('does not draw time as if it had been measured', limit, async () => {
    const { page, close } = await stage.open(server, { path: '?window=24h' })
    const figure = page.getByRole('figure', { name: 'Throughput' })
    // The shop is an hour old: the day before it is marked, and has no bar.
    expect(Number(await figure.locator('rect.unmeasured').getAttribute('width'))).toBeGreaterThan(80)
    await figure.locator('.drawing').hover({ position: { x: 20, y: 60 } })
    expect(await figure.locator('.pointed-values').innerText()).toContain('nothing recorded')
    // By the keyboard the same is in the table.
    await figure.getByText('Show as a table').click()
    await figure.getByRole('table').getByRole('link').first().waitFor()
    await close()
  })

  test.each([
    [0, undefined, [0, 1]],
    [3, undefined, [0, 1, 2, 3]],
    [14, undefined, [0, 5, 10, 15]],
    [71, undefined, [0, 20, 40, 60, 80]],
    [1_001, undefined, [0, 500, 1_000, 1_500]],
    [0.4, 1, [0, 0.5, 1]],
  ])('up to %d has whole, round values beside it', (highest, top, expected) => {
    expect(ticksUpTo(highest, top)).toEqual(expected)
  })

  test('has at most five times under it, from its first to its last', () => {
    expect(labelPlaces(60)).toEqual([0, 15, 30, 44, 59])
    expect(labelPlaces(2)).toEqual([0, 1])
    expect(labelPlaces(0)).toEqual([])
  })

  test('begins where anything was recorded', () => {
    expect(unmeasured(series([0, null, 3, 0, 1]))).toBe(2)
    expect(unmeasured(series([1, 0]))).toBe(0)
    expect(unmeasured(series([0, 0]))).toBe(2)
  })
})

test('an alarm is acknowledged once, for everybody, and kept in the audit log', limit, async () => {
  const { page, complaints, close } = await stage.open(server)
  const rows = page.getByRole('table', { name: 'Alarms that are raised now, pages first' }).locator('tbody tr')
  const count = await rows.count()
  const message = await rows.first().locator('td.main a, td.main span').first().innerText()
  await page.getByRole('button', { name: `Acknowledge: ${message}` }).click()
  // What nobody has seen yet comes first.
  const seen = rows.nth(count - 1)
  await seen.getByRole('cell', { name: /^admin, / }).waitFor()
  expect(await seen.innerText()).toContain(message)
  await close()

  const other = await stage.open(server)
  await other.page.getByRole('cell', { name: /^admin, / }).waitFor()
  await other.go('audit')
  await other.page.getByText('alarm.acknowledge').first().waitFor()
  expect([...complaints, ...other.complaints]).toEqual([])
  await other.close()
})

function series(values: (number | null)[]) {
  return [{ name: 'delivered', tone: '', values }]
}
