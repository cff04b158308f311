// What an operator waits for: how soon a page shows its data with many deliveries stored, and what the live tail costs the tab.
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
const endpoints = 100
const visits = 5
const eventsPerSecond = 500
const tailSeconds = 20

export async function dashboard(scale) {
  const { folder, remove } = scratch()
  const receiver = await startReceiver()
  const file = join(folder, 'bench.db')
  const endpointIds = await fill(file, Math.round(1_000_000 * scale), `http://127.0.0.1:${receiver.port}/hook`)
  const server = await serve(file)
  const browser = await startBrowser()
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    await context.request.post(`${server.url}/api/v1/session`, { data: { key } })
    const page = await context.newPage()
    const paths = [
      '',
      'deliveries',
      'deliveries?status=dead',
      `deliveries?endpoint=${endpointIds[7]}`,
      'deliveries/dlv_0000000000000000007',
      'dead-letters',
      'endpoints',
      `endpoints/${endpointIds[7]}`,
    ]
    for (const path of paths) await visit(page, server.url, path)
    await tail(browser, page, server.url)
  } finally {
    await browser.close()
    server.stop()
    receiver.stop()
    remove()
  }
}

/** Most were delivered; one in a hundred is dead, one in fifty waits for a retry. */
async function fill(file, rows, url) {
  const posthorn = new Posthorn({ store: sqlite(file), allowedTargets: ['127.0.0.1'] })
  const endpointIds = []
  for (let index = 0; index < endpoints; index += 1)
    endpointIds.push(
      (await posthorn.endpoints.create({ application: 'acme', url: `${url}/${index}`, types: ['nothing.yet'] })).id,
    )
  const application = await posthorn.applications.get('acme')
  await posthorn.endpoints.create({ application: 'busy', url })
  await posthorn.stop()
  const db = new DatabaseSync(file)
  const now = Date.now()
  db.exec('create temp table of_bench (place integer primary key, id text)')
  endpointIds.forEach((id, place) => db.prepare('insert into of_bench values (?, ?)').run(place, id))
  db.exec('begin')
  db.prepare('insert into posthorn_messages (id, application_id, type, body) values (?, ?, ?, ?)').run(
    'msg_bench',
    application.id,
    'invoice.paid',
    Buffer.from('{}'),
  )
  db.prepare(
    `with recursive counter(n) as (select 0 union all select n + 1 from counter where n < ${rows - 1})
     insert into webhook_deliveries (id, webhook_id, application_id, message_id, event_type, status, reason, error_detail, attempt_count, next_retry_at, last_attempted_at, created_at, updated_at)
     select printf('dlv_%019d', n), (select b.id from of_bench b where b.place = n % ${endpoints}), ?, 'msg_bench', 'invoice.paid',
       case when n % 100 = 7 then 'dead' when n % 50 = 3 then 'failed' else 'delivered' end, case when n % 100 = 7 then 'exhausted' end,
       case when n % 100 = 7 or n % 50 = 3 then 'HTTP 503: upstream connect error' end, 1, case when n % 50 = 3 and n % 100 <> 7 then ? end, ?, ?, ? from counter`,
  ).run(application.id, now + 3_600_000, now, now, now)
  db.exec('commit')
  db.close()
  print('deliveries stored', whole(rows))
  return endpointIds
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

/** Loads a page anew each time; its data are there when nothing is busy any more. */
async function visit(page, url, path) {
  const paints = []
  const wholes = []
  for (let count = 0; count < visits; count += 1) {
    const startedAt = performance.now()
    await page.goto(`${url}/${path}`)
    await page.locator('h1').waitFor()
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
    wholes.push(performance.now() - startedAt)
    // The browser tells of a paint a moment after it: sometimes too late.
    paints.push(
      ...(await page.evaluate(
        'performance.getEntriesByName("first-contentful-paint").map(({ startTime }) => startTime)',
      )),
    )
  }
  const name = `/${path.replaceAll(/[a-z]+_\w+/g, '…')}`
  print(
    name,
    `${whole(percentile(wholes, 0.5))} ms`,
    `until its data are drawn, median of ${visits} (first paint ${whole(percentile(paints, 0.5))} ms; slowest ${whole(Math.max(...wholes))} ms)`,
  )
}

async function tail(browser, page, url) {
  await page.goto(`${url}/tail`)
  await page.getByText('listening').waitFor()
  const before = await memory(browser, page)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const body = JSON.stringify({ eventType: 'invoice.paid', payload: { id: 7 } })
  const pool = new Pool(url, { connections: 50 })
  const open = new Set()
  // Each message is two events: that it was accepted, and that it was delivered.
  const total = (eventsPerSecond / 2) * tailSeconds
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
  const took = (performance.now() - startedAt) / 1000
  await page.locator('tbody tr').first().waitFor()
  const after = await memory(browser, page)
  const newest = await page.locator('tbody tr').first().textContent()
  print(
    'live tail',
    `${whole((2 * total) / took)}/s`,
    `events for ${whole(took)} s; the newest row: ${newest?.slice(0, 60)}`,
  )
  print(
    '  memory of the tab',
    `${whole(before.tabMb)} → ${whole(after.tabMb)} MB`,
    `heap ${whole(before.heapMb)} → ${whole(after.heapMb)} MB`,
  )
}

/** The heap, and all that the process of the tab holds. */
async function memory(browser, page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  const outer = await browser.newBrowserCDPSession()
  const { processInfo } = await outer.send('SystemInfo.getProcessInfo')
  await outer.detach()
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024)
  return { heapMb: usedSize / 1024 / 1024, tabMb: Math.max(...sizes) }
}
