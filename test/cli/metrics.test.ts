import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { receiver } from 'posthorn/testing'
import { expect, onTestFinished, test } from 'vitest'
import { seriesIn } from '../metrics/scrape.ts'
import { temporaryFolder } from './folder.ts'
import { run, start } from './run.ts'
import { serveHere } from './serve-here.ts'

const adminKey = 'an-admin-key-of-the-test'

async function environment(): Promise<Record<string, string>> {
  return {
    POSTHORN_DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'posthorn.db')}`,
    POSTHORN_PORT: '0',
    POSTHORN_ADMIN_KEY: adminKey,
    POSTHORN_PLAINTEXT_SECRETS: '1',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_POLL_MS: '50',
  }
}

/** A command with a port of its own for metrics; answers with where that is. */
async function metricsHere(command: string, given: Readonly<Record<string, string>>): Promise<string> {
  const settings = { ...given, POSTHORN_METRICS_PORT: '0', POSTHORN_SHUTDOWN_GRACE_MS: '0' }
  const running = await start([command], settings, /^posthorn metrics on /)
  onTestFinished(async () => void (await running.stop()))
  return running.line.replace(/^posthorn metrics on (.*)\/metrics$/, '$1')
}

async function get(url: string, key: string | null = null): Promise<{ status: number; type: string; text: string }> {
  const headers = { connection: 'close', ...(key !== null && { authorization: `Bearer ${key}` }) }
  const response = await fetch(url, { headers })
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
  }
}

async function post(url: string, body: unknown): Promise<{ token: string; id: string }> {
  const headers = { connection: 'close', authorization: `Bearer ${adminKey}` }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await response.json()) as { token: string; id: string }
}

test('/metrics takes a key that may read everything, and no other', async () => {
  const url = await serveHere(await environment())
  const { id } = await post(`${url}/api/v1/app`, { name: 'Acme', uid: 'acme' })
  const { token: reader } = await post(`${url}/api/v1/key`, { name: 'prometheus', access: 'read' })
  const { token: customer } = await post(`${url}/api/v1/key`, { name: 'acme', access: 'write', appId: id })
  expect(await get(`${url}/metrics`)).toMatchObject({ status: 401 })
  expect(await get(`${url}/metrics`, `${adminKey}x`)).toMatchObject({ status: 401 })
  expect(await get(`${url}/metrics`, customer)).toMatchObject({ status: 403 })
  for (const key of [adminKey, reader]) {
    const reply = await get(`${url}/metrics`, key)
    expect(reply).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' })
    expect(seriesIn(reply.text)).toContainEqual(
      expect.objectContaining({ name: 'posthorn_build_info', labels: expect.objectContaining({ database: 'sqlite' }) }),
    )
  }
  const refused = await fetch(`${url}/metrics`, { method: 'POST', headers: { authorization: `Bearer ${adminKey}` } })
  expect(refused.status).toBe(405)
})

test('POSTHORN_METRICS_PUBLIC=1 asks for no key, and POSTHORN_METRICS=0 answers 404', async () => {
  const isPublic = await serveHere({ ...(await environment()), POSTHORN_METRICS_PUBLIC: '1' })
  expect(await get(`${isPublic}/metrics`)).toMatchObject({ status: 200 })
  const off = await serveHere({ ...(await environment()), POSTHORN_METRICS: '0' })
  expect(await get(`${off}/metrics`, adminKey)).toMatchObject({ status: 404 })
})

test('a port of its own has metrics, life and readiness, and the usual port has no metrics', async () => {
  const own = await metricsHere('serve', await environment())
  expect(await get(`${own}/metrics`, adminKey)).toMatchObject({ status: 200 })
  expect(await get(`${own}/metrics`)).toMatchObject({ status: 401 })
  expect(await get(`${own}/livez`)).toMatchObject({ status: 200 })
  expect(await get(`${own}/readyz`)).toMatchObject({ status: 200 })
  expect(await get(`${own}/api/v1/app`, adminKey)).toMatchObject({ status: 404 })
  const usual = await serveHere({ ...(await environment()), POSTHORN_METRICS_PORT: '0' })
  expect(await get(`${usual}/metrics`, adminKey)).toMatchObject({ status: 404 })
})

test('posthorn dev answers without a key, and its counters move', async () => {
  const running = await start(
    ['dev'],
    { POSTHORN_PORT: '0', POSTHORN_SHUTDOWN_GRACE_MS: '0' },
    /^posthorn listening on /,
  )
  onTestFinished(async () => void (await running.stop()))
  const url = running.line.slice('posthorn listening on '.length)
  const accepted = async (): Promise<number> =>
    seriesIn((await get(`${url}/metrics`)).text)
      .filter(({ name }) => name === 'posthorn_messages_accepted_total')
      .reduce((sum, { value }) => sum + value, 0)
  await expect.poll(accepted).toBeGreaterThanOrEqual(20)
})

test('a port of its own says whether a worker lives, also if nothing is counted', async () => {
  const own = await metricsHere('worker', { ...(await environment()), POSTHORN_METRICS: '0' })
  expect(await get(`${own}/readyz`)).toMatchObject({ status: 200 })
  expect(await get(`${own}/metrics`, adminKey)).toMatchObject({ status: 404 })
})

test('a worker listens only if it is given a port, and its counters move', async () => {
  const settings = await environment()
  const local = await receiver()
  const file = settings['POSTHORN_DATABASE_URL']?.slice('sqlite:'.length) ?? ''
  const posthorn = new Posthorn({ store: sqlite(file, { plaintextSecrets: true }), allowedTargets: ['127.0.0.0/8'] })
  onTestFinished(async () => {
    await posthorn.stop()
    await local.close()
  })
  await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })
  const own = await metricsHere('worker', settings)
  expect(await get(`${own}/livez`)).toMatchObject({ status: 200 })
  expect(await get(`${own}/readyz`)).toMatchObject({ status: 200 })
  const delivered = async (): Promise<number | undefined> =>
    seriesIn((await get(`${own}/metrics`, adminKey)).text).find(
      ({ name }) => name === 'posthorn_deliveries_delivered_total',
    )?.value
  expect(await delivered()).toBe(0)
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await local.waitFor(1)
  await expect.poll(delivered).toBe(1)
})

test.each(['serve', 'worker', 'dev'])(
  'a metrics port that is in use ends %s with the name of its setting',
  async (command) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { code, lines, stderr } = await run([command], {
      ...(await environment()),
      POSTHORN_METRICS_PORT: String(port),
    })
    expect({ code, lines }).toEqual({ code: 1, lines: [] })
    expect(stderr).toContain(`Expected \`POSTHORN_METRICS_PORT\` to be a port that is free, got ${port}.`)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  },
)
