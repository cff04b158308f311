import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { hour } from '../../src/core/time.ts'
import { makeDashboard } from '../../src/server/http/dashboard-files.ts'
import { sessionCookie } from '../../src/server/http/session-cookie.ts'
import { useBrowser } from '../ui/browser.ts'
import { defence } from './defence.ts'

const browser = useBrowser()

// What a hole in the pages would let through, of each kind that runs something.
const injections: Readonly<Record<string, string>> = {
  'a script': '<script>window.ranAway = 1</script>',
  'a handler of an event': '<img src="data:," onerror="window.ranAway = 1">',
  'a script of another site': '<script src="ELSEWHEREevil.js"></script>',
  'a frame with a script': '<iframe srcdoc="<script>top.ranAway = 1</script>"></iframe>',
}

for (const [what, injected] of Object.entries(injections)) {
  defence(`dashboard: ${what} that got into a page, in a real browser`, async (isOn) => {
    const elsewhere = await listen(async () => new Response('window.ranAway = 1', { headers: script }), 'localhost')
    const url = await dashboardWith(injected.replace('ELSEWHERE', elsewhere), isOn)
    const page = await openPage()
    await page.goto(url, { waitUntil: 'load' })
    return (await page.evaluate('window.ranAway')) === 1
  })
}

defence('dashboard: a page of another site that frames it, in a real browser', async (isOn) => {
  const url = await dashboardWith('', isOn)
  const framing = await listen(async () => html(`<iframe src="${url}"></iframe>`), 'localhost')
  const page = await openPage()
  await page.goto(framing, { waitUntil: 'load' })
  const shown = page.frames().map((frame) => frame.url())
  return shown.some((address) => address.startsWith(url))
})

defence('dashboard: a script that reads the session, in a real browser', async (isOn) => {
  const page = await openPage()
  await page.goto(await listen(async () => html('', cookieOf(isOn ? '' : 'HttpOnly')), '127.0.0.1'))
  return String(await page.evaluate('document.cookie')).includes('phs_token')
})

defence('dashboard: a link on another site that brings the session along, in a real browser', async (isOn) => {
  let cookie: string | undefined
  const dashboard = await listen(async ({ headers }) => {
    cookie = headers.cookie
    return html('<title>Posthorn</title>', cookieOf(isOn ? '' : 'SameSite=Strict'))
  }, '127.0.0.1')
  const elsewhere = await listen(async () => html(`<a href="${dashboard}">A link</a>`), 'localhost')
  const page = await openPage()
  await page.goto(dashboard)
  await page.goto(elsewhere)
  await page.getByText('A link').click()
  await page.waitForURL(dashboard)
  return cookie?.includes('phs_token') ?? false
})

const script = { 'content-type': 'text/javascript' }

/** The session's cookie, without one of its parts. */
function cookieOf(leftOut: string): string {
  const cookie = sessionCookie('phs_token', { basePath: '', isTls: false, lastsMs: hour })
  return leftOut === '' ? cookie : cookie.replace(`; ${leftOut}`, '')
}

/** The dashboard as the server answers with it, its page spoilt; with the headers that guard it, or without. */
async function dashboardWith(injected: string, isGuarded: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-security-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'index.html'), `<!doctype html><base href="/" /><title>Posthorn</title>${injected}`)
  const dashboard = makeDashboard(folder, '')
  return listen(async () => {
    const response = await dashboard('/')
    if (!isGuarded) response.headers.delete('content-security-policy')
    return response
  }, '127.0.0.1')
}

async function openPage(): Promise<Page> {
  const context = await browser().newContext()
  onTestFinished(() => context.close())
  return context.newPage()
}

/** Answers on loopback, under a name of it: two names are two sites. */
async function listen(
  answer: (request: IncomingMessage) => Promise<Response>,
  host: '127.0.0.1' | 'localhost',
): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url !== '/' && request.url !== '/evil.js') return void response.writeHead(404).end()
    void answer(request).then(async (answered) => {
      response.writeHead(answered.status, Object.fromEntries(answered.headers))
      response.end(Buffer.from(await answered.arrayBuffer()))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${host}:${(server.address() as AddressInfo).port}/`
}

function html(body: string, cookie?: string): Response {
  const headers = { 'content-type': 'text/html', ...(cookie !== undefined && { 'set-cookie': cookie }) }
  return new Response(`<!doctype html>${body}`, { headers })
}
