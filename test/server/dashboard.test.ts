import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { handler } from 'posthorn/server'
import { isPage, makeDashboard } from '../../src/server/http/dashboard-files.ts'
import { adminKey, serverWorld } from './world.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-dashboard-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const built = {
  'index.html': '<!doctype html><base href="/" /><title>Posthorn</title>',
  'assets/index-3f9a.js': 'run()',
  'icon.svg': '<svg/>',
}

test('every page is the same page, which is told where it lives and what it may load', async () => {
  const dashboard = makeDashboard(folderWith(built), '/hooks')
  for (const path of ['/', '/deliveries', '/deliveries/dlv_1']) {
    expect(isPage(path)).toBe(true)
    const response = await dashboard(path)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('<base href="/hooks/" />')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';.*frame-ancestors 'none'/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  }
})

test('the server knows every page that the dashboard has', () => {
  const routes = readFileSync(new URL('../../src/ui/operator/app.tsx', import.meta.url), 'utf8')
  const words = [...routes.matchAll(/^ {4}case '([^']*)':/gm)].map(([, word]) => word ?? '')
  expect(words.length).toBeGreaterThan(5)
  expect(words.filter((word) => !isPage(`/${word}`))).toEqual([])
})

test('what has a hash in its name is kept for ever, what has none for an hour, and what is not there is not found', async () => {
  const dashboard = makeDashboard(folderWith(built), '')
  const script = await dashboard('/assets/index-3f9a.js')
  expect([script.status, script.headers.get('content-type'), await script.text()]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'run()',
  ])
  expect(script.headers.get('cache-control')).toContain('immutable')
  expect((await dashboard('/icon.svg')).headers.get('cache-control')).toBe('public, max-age=3600')
  expect((await dashboard('/assets/index-gone.js')).status).toBe(404)
})

test('a dashboard that is not built says how to build it', async () => {
  const response = await makeDashboard(folderWith({}), '')('/')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('npm run build')
})

test("the API stays the API, and what lies outside of the mount is nobody's page", async () => {
  const { posthorn } = await serverWorld()
  const answer = handler(posthorn, { basePath: '/hooks', adminKey })
  const ask = async (path: string, method = 'GET'): Promise<[number, string | null]> => {
    const response = await answer(new Request(`http://posthorn.test${path}`, { method }))
    return [response.status, response.headers.get('content-type')]
  }
  expect(await ask('/hooks/api/v1/nothing')).toEqual([404, 'application/json'])
  expect(await ask('/hooks/api/v1/app')).toEqual([401, 'application/json'])
  expect(await ask('/other')).toEqual([404, 'application/json'])
  for (const path of [
    'metrics',
    'metrics/deliveries',
    'admin',
    '.env',
    'wp-login.php',
    'robots.txt',
    'assets',
    '%2e%2e/secret',
  ])
    expect(await ask(`/hooks/${path}`)).toEqual([404, 'application/json'])
  expect(await ask('/hooks/deliveries', 'POST')).toEqual([404, 'application/json'])
  expect((await ask('/hooks/deliveries'))[1]).not.toBe('application/json')
})
