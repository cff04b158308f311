// What an operator waits for: how soon each page can be used with many deliveries and endpoints stored, what a key costs in the
// palette, and what the live tail costs the tab. Each figure stands beside the bar that it must not exceed.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { Pool } from 'undici'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { startBrowser } from '../scripts/browser.js'
import { percentile, print, scratch, startReceiver, whole } from './common.js'

const key = 'a-key-for-the-bench-only'
const applications = 100
/** Newer than the others, so that the list begins with it. */
const manyFold = { id: 'msg_9999999999999999999', deliveries: 10_000 }
const visits = 5
const eventsPerSecond = 500
const tailSeconds = 30
const fillSeconds = 15
const pageBar = { most: 300, unit: 'ms' }
const keyBar = { most: 50, unit: 'ms' }
const heapBar = { most: 3, unit: 'MB' }
// A row has a few nodes more or less, depending on its event.
const nodesBar = { most: 1_000, unit: 'nodes' }

/** The live tail lasts 30 s, or less at a smaller scale, unless a time is given. */
export async function dashboard(scale, seconds = Math.max(6, Math.round(tailSeconds * Math.min(1, scale)))) {
  const { folder, remove } = scratch()
  const receiver = await startReceiver()
  const file = join(folder, 'bench.db')
  const sizes = { rows: Math.round(1_000_000 * scale), endpoints: applications * Math.max(1, Math.round(100 * scale)) }
  const ids = await fill(file, sizes, `http://127.0.0.1:${receiver.port}/hook`)
  const server = await serve(file)
  const browser = await startBrowser()
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    await context.request.post(`${server.url}/api/v1/session`, { data: { key } })
    const page = await context.newPage()
    await page.addInitScript(noteWhenInteractive)
    const held = []
    for (const path of pagesOf(ids)) held.push(await visit(page, server.url, path))
    held.push(await typeInPalette(page, server.url))
    held.push(...(await tail(browser, page, server.url, seconds)))
    print('bars held', `${held.filter(Boolean).length} of ${held.length}`)
  } finally {
    await browser.close()
    server.stop()
    receiver.stop()
    remove()
  }
}

/** Every page of the dashboard; those of one thing with the id of one that has a history. */
function pagesOf({ endpoint, application }) {
  return [
    '',
    'messages',
    'messages/msg_0000000000000000010',
    `messages/${manyFold.id}`,
    'messages/send?event_type=invoice.paid',
    'deliveries',
    'deliveries?status=dead',
    `deliveries?endpoint=${endpoint}`,
    'deliveries/dlv_0000000000000000007',
    'dead-letters',
    'applications',
    `applications/${application}`,
    'endpoints',
    `endpoints/${endpoint}`,
    `endpoints/${endpoint}?tab=deliveries`,
    `endpoints/${endpoint}?tab=settings`,
    `endpoints/${endpoint}?tab=security`,
    'jobs',
    'tail',
    'event-types',
    'event-types/invoice.paid',
    'audit',
    'settings',
  ]
}

/** Each message has ten deliveries, the newest ten thousand. Most were delivered; one in a hundred is dead, one in fifty waits for a retry. */
async function fill(file, { rows, endpoints }, url) {
  const posthorn = new Posthorn({ store: sqlite(file), allowedTargets: ['127.0.0.1'] })
  const made = await makeEndpoints(posthorn, endpoints, url)
  const { id: endpoint, applicationId: application } = made[7]
  await posthorn.endpoints.create({ application: 'busy', url })
  const schemas = { 1: { type: 'object', properties: { id: { type: 'integer' } } } }
  await posthorn.eventTypes.create({ name: 'invoice.paid', description: 'An invoice was paid.', schemas })
  await posthorn.stop()
  const db = new DatabaseSync(file)
  const now = Date.now()
  db.exec('create temp table of_bench (place integer primary key, id text, application_id text)')
  db.exec('begin')
  const place = db.prepare('insert into of_bench values (?, ?, ?)')
  for (const [index, { id, applicationId }] of made.entries()) place.run(index, id, applicationId)
  const fanOut = Math.min(10, endpoints / applications)
  db.prepare(
    `with recursive counter(n) as (select 0 union all select n + 1 from counter where n < ${Math.ceil(rows / fanOut) - 1})
     insert into posthorn_messages (id, application_id, type, body)
     select printf('msg_%019d', n), b.application_id, 'invoice.paid', ? from counter join of_bench b on b.place = n % ${applications}`,
  ).run(Buffer.from('{}'))
  db.prepare(`insert into posthorn_messages (id, application_id, type, body) values (?, ?, 'invoice.paid', ?)`).run(
    manyFold.id,
    application,
    Buffer.from('{}'),
  )
  // The endpoints of an application stand a hundred places apart, and each of its messages is for the next ten of them.
  const placeOfDelivery = `(n / ${fanOut}) % ${applications} + ${applications} * ((n / ${fanOut * applications} * ${fanOut} + n % ${fanOut}) % ${endpoints / applications})`
  db.prepare(
    `with recursive counter(n) as (select 0 union all select n + 1 from counter where n < ${rows - 1})
     insert into webhook_deliveries (id, webhook_id, application_id, message_id, event_type, status, reason, error_detail, attempt_count, next_retry_at, last_attempted_at, created_at, updated_at)
     select printf('dlv_%019d', n), b.id, b.application_id, case when n >= ${rows - manyFold.deliveries} then '${manyFold.id}' else printf('msg_%019d', n / ${fanOut}) end, 'invoice.paid',
       case when n % 100 = 7 then 'dead' when n % 50 = 3 then 'failed' else 'delivered' end, case when n % 100 = 7 then 'exhausted' end,
       case when n % 100 = 7 or n % 50 = 3 then 'HTTP 503: upstream connect error' end, 1, case when n % 50 = 3 and n % 100 <> 7 then ? end, ?, ?, ? from counter join of_bench b on b.place = ${placeOfDelivery}`,
  ).run(now + 3_600_000, now, now, now)
  db.exec('commit')
  db.close()
  print('deliveries stored', whole(rows), `for ${whole(endpoints)} endpoints of ${applications} applications`)
  return { endpoint, application }
}

/** A hundred at a time, so that they share their transactions. */
async function makeEndpoints(posthorn, count, url) {
  const owners = await Promise.all(
    Array.from({ length: applications }, (_, index) =>
      posthorn.applications.create({ uid: `customer-${index}`, name: `Customer ${index}` }),
    ),
  )
  const made = []
  while (made.length < count)
    made.push(
      ...(await Promise.all(
        owners.map(({ id }, index) =>
          posthorn.endpoints.create({ application: id, url: `${url}/${made.length + index}`, types: ['nothing.yet'] }),
        ),
      )),
    )
  return made
}

async function serve(file) {
  const environment = {
    POSTHORN_PORT: '0',
    POSTHORN_DATABASE_URL: `sqlite:${file}`,
    POSTHORN_ADMIN_KEY: key,
    POSTHORN_RATE_LIMIT_PER_SECOND: '0',
    POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION: '0',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.1',
  }
  const child = spawn(process.execPath, ['dist/cli/main.js', 'serve'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^posthorn listening on (http:\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { url, stop: () => child.kill('SIGKILL') }
  }
  throw new Error('Expected the server to listen, but it ended.')
}

/** In the page: the first frame with a heading and nothing busy, and a free moment after it, when a click would be answered. */
const noteWhenInteractive = `
globalThis.paintMs = new Promise((resolve) => {
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
  }).observe({ type: 'paint', buffered: true })
})
globalThis.interactiveMs = new Promise((resolve) => {
  const look = () => {
    const isDrawn = document.querySelector('h1') !== null && document.querySelector('[aria-busy=true]') === null
    if (isDrawn) setTimeout(() => resolve(performance.now()))
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`

/** Loads a page anew each time; it can be used when its data are drawn and nothing is busy any more. */
async function visit(page, url, path) {
  const paints = []
  const wholes = []
  for (let count = 0; count < visits; count += 1) {
    await page.goto(`${url}/${path}`)
    const [paintMs, interactiveMs] = await page.evaluate('Promise.all([paintMs, interactiveMs])')
    paints.push(paintMs)
    // What nobody has seen yet cannot be used.
    wholes.push(Math.max(paintMs, interactiveMs))
  }
  const name = `/${path.replaceAll(/[a-z]+_\w{6,}/g, '…')}`
  const note = `interactive, median of ${visits} (first paint ${whole(percentile(paints, 0.5))} ms; slowest ${whole(Math.max(...wholes))} ms)`
  return judge(name, percentile(wholes, 0.5), pageBar, note)
}

/** What a key costs: from its press to the frame after it, while the answers to earlier keys come in. */
async function typeInPalette(page, url) {
  await page.goto(`${url}/endpoints`)
  await page.evaluate('globalThis.interactiveMs')
  await page.evaluate(`globalThis.keysMs = []
addEventListener('keydown', () => {
  const at = performance.now()
  requestAnimationFrame(() => setTimeout(() => keysMs.push(performance.now() - at)))
}, true)`)
  await page.keyboard.press('/')
  await page.getByRole('dialog', { name: 'Search' }).waitFor()
  await page.evaluate('void (keysMs.length = 0)')
  for (const text of ['customer 7', 'hook/99', 'invoice'])
    for (const pressed of [...text.split(''), ...Array(text.length).fill('Backspace')])
      await page.keyboard.press(pressed, { delay: 60 })
  const took = await page.evaluate('keysMs')
  const note = `a key in the palette, 99th of ${took.length} (median ${whole(percentile(took, 0.5))} ms)`
  return judge('palette', percentile(took, 0.99), keyBar, note)
}

function judge(name, value, { most, unit }, note) {
  const isHeld = value <= most
  print(name, `${whole(value)} ${unit}`, `bar ${most} ${unit} ${isHeld ? 'held' : 'MISSED'}: ${note}`)
  return isHeld
}

/** At first the page fills what it keeps; from then on heap and document must stay as they are. */
async function tail(browser, page, url, forSeconds) {
  await page.goto(`${url}/tail`)
  await page.getByText('listening').waitFor()
  const filledSeconds = Math.min(fillSeconds, forSeconds / 2)
  await send(url, filledSeconds)
  await page.locator('tbody tr').first().waitFor()
  const before = await memory(browser, page)
  const perSecond = await send(url, forSeconds - filledSeconds)
  const after = await memory(browser, page)
  const newest = await page.locator('tbody tr').first().textContent()
  print('live tail', `${whole(perSecond)}/s`, `events for ${forSeconds} s; the newest row: ${newest?.slice(0, 60)}`)
  const tab = `the tab ${whole(before.tabMb)} → ${whole(after.tabMb)} MB, its heap ${before.heapMb.toFixed(1)} → ${after.heapMb.toFixed(1)} MB`
  return [
    judge('  growth of the heap', after.heapMb - before.heapMb, heapBar, tab),
    judge('  growth of the document', after.nodes - before.nodes, nodesBar, `${before.nodes} → ${after.nodes} nodes`),
  ]
}

/** Messages for some time; answers with events per second. Each is two: that it was accepted, and that it was delivered. */
async function send(url, forSeconds) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify({ eventType: 'invoice.paid', payload: { id: 7 } })
  const pool = new Pool(url, { connections: 50 })
  const open = new Set()
  const total = (eventsPerSecond / 2) * forSeconds
  const startedAt = performance.now()
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * (eventsPerSecond / 2)))
    for (; sent < due; sent += 1) {
      const call = pool
        .request({ method: 'POST', path: '/api/v1/app/busy/msg', headers, body })
        .then((answer) => answer.body.text())
      open.add(call)
      void call.finally(() => open.delete(call))
    }
    await sleep(5)
  }
  await Promise.all(open)
  await pool.close()
  return (2 * total) / ((performance.now() - startedAt) / 1000)
}

/** The heap, the nodes of the document, and all that the process of the tab holds. */
async function memory(browser, page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  // Not `Memory.getDOMCounters`, which also counts nodes that are gone and not collected yet.
  const nodes = await page.evaluate('document.getElementsByTagName("*").length')
  await session.detach()
  const outer = await browser.newBrowserCDPSession()
  const { processInfo } = await outer.send('SystemInfo.getProcessInfo')
  await outer.detach()
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024)
  return { heapMb: usedSize / 1024 / 1024, nodes, tabMb: Math.max(...sizes) }
}
