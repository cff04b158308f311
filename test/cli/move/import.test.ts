import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { Svix } from 'svix'
import { temporaryFolder } from '../folder.ts'
import { run } from '../run.ts'
import { serveHere } from '../serve-here.ts'

const token = 'a-key-of-the-server-that-is-left'
const secret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`

/** A server that speaks Svix's contract, an empty database beside it, and the command between the two. */
async function scene() {
  const folder = await temporaryFolder()
  const settings = { POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8', POSTHORN_PORT: '0', POSTHORN_LOG_LEVEL: 'error' }
  const url = await serveHere({
    ...settings,
    POSTHORN_DATABASE_URL: `sqlite:${join(folder, 'svix.db')}`,
    POSTHORN_ADMIN_KEY: token,
  })
  return { url: await showingHeaders(url), svix: new Svix(token, { serverUrl: url }), ...(await emptyHere(folder)) }
}

/** The same server, which shows values of headers, as Svix does of those that are no credentials. */
async function showingHeaders(url: string): Promise<string> {
  const values: Readonly<Record<string, string>> = { 'x-shop': 'nord', 'x-region': 'south' }
  const server = createServer((request, response) => {
    void fetch(`${url}${request.url}`, { headers: { authorization: request.headers.authorization ?? '' } }).then(
      async (answer) => {
        const text = await answer.text()
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(request.url?.endsWith('/headers') === true ? shown(text, values) : text)
      },
    )
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function shown(text: string, values: Readonly<Record<string, string>>): string {
  const { sensitive }: { sensitive: string[] } = JSON.parse(text)
  const known = sensitive.filter((name) => Object.hasOwn(values, name))
  return JSON.stringify({
    headers: Object.fromEntries(known.map((name) => [name, values[name]])),
    sensitive: sensitive.filter((name) => !known.includes(name)),
  })
}

async function emptyHere(folder: string) {
  const file = join(folder, 'here.db')
  const environment = { POSTHORN_DATABASE_URL: `sqlite:${file}`, POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8' }
  await run(['migrate'], environment)
  const posthorn = new Posthorn({ store: sqlite(file) })
  onTestFinished(() => posthorn.stop())
  return {
    posthorn,
    environment,
    importSvix: (url: string, ...args: string[]) =>
      run(['import', 'svix', '--url', url, '--token', token, '--json', ...args], environment),
  }
}

async function fill(svix: Svix): Promise<void> {
  await svix.eventType.create({
    name: 'invoice.paid',
    description: 'An invoice was paid.',
    schemas: { 1: { type: 'object' } },
  })
  await svix.eventType.create({ name: 'invoice.old', description: '', archived: true })
  await svix.application.create({ name: 'Acme', uid: 'acme', metadata: { plan: 'gold' }, throttleRate: 50 })
  await svix.application.create({ name: 'Nameless' })
  await svix.endpoint.create('acme', {
    uid: 'till',
    url: 'https://acme.example/hooks',
    description: 'the till',
    filterTypes: ['invoice.paid'],
    channels: ['north'],
    throttleRate: 7,
    secret,
    headers: { 'x-shop': 'nord' },
  })
  await svix.endpoint.create('acme', { url: 'https://acme.example/off', disabled: true })
}

test('brings applications, endpoints with secrets and headers, and event types; a second run changes nothing', async () => {
  const { url, svix, posthorn, importSvix } = await scene()
  await fill(svix)
  const first = await importSvix(url)
  expect({ code: first.code, imported: JSON.parse(first.lines[0] ?? '') }).toEqual({
    code: 0,
    imported: {
      isWhole: true,
      created: { applications: 2, endpoints: 2, eventTypes: 2 },
      changed: { applications: 0, endpoints: 0, eventTypes: 0 },
      unchanged: 0,
      notTaken: [],
      dryRun: false,
    },
  })
  expect(await posthorn.applications.get('acme')).toMatchObject({
    name: 'Acme',
    ratePerSecond: 50,
    metadata: { plan: 'gold' },
  })
  const all = await posthorn.endpoints.list({ application: 'acme' })
  const [till, off] = all.toSorted((one, other) => (one.url < other.url ? -1 : 1))
  expect(till).toMatchObject({
    uid: 'till',
    url: 'https://acme.example/hooks',
    description: 'the till',
    types: ['invoice.paid'],
    channels: ['north'],
    ratePerSecond: 7,
    headers: { 'x-shop': 'nord' },
    secrets: [{ value: secret }],
    status: 'active',
  })
  expect(off?.status).toBe('disabled')
  expect(await posthorn.eventTypes.get('invoice.paid')).toMatchObject({ schemas: { 1: { type: 'object' } } })
  expect(await posthorn.eventTypes.get('invoice.old')).toMatchObject({ archived: true })

  const before = await everythingIn(posthorn)
  const second = await importSvix(url)
  expect({ code: second.code, imported: JSON.parse(second.lines[0] ?? '') }).toMatchObject({
    code: 0,
    imported: { created: { applications: 0 }, changed: { endpoints: 0 }, unchanged: 6, notTaken: [] },
  })
  expect(await everythingIn(posthorn)).toEqual(before)
})

test('a dry run says the same, and does nothing', async () => {
  const { url, svix, posthorn, importSvix } = await scene()
  await fill(svix)
  const { code, lines } = await importSvix(url, '--dry-run')
  expect({ code, imported: JSON.parse(lines[0] ?? '') }).toMatchObject({
    code: 0,
    imported: { created: { applications: 2, endpoints: 2, eventTypes: 2 }, dryRun: true },
  })
  expect(await everythingIn(posthorn)).toEqual({ applications: [], endpoints: [], eventTypes: [], audit: [] })
})

test('run again, it takes what has changed in Svix since, and leaves alone what was changed here', async () => {
  const { url, svix, posthorn, importSvix } = await scene()
  await fill(svix)
  await importSvix(url)
  const here = await posthorn.applications.get('acme')
  const till = (await posthorn.endpoints.list({ application: here.id })).find(({ uid }) => uid === 'till')
  // By hand, and of a kind that Svix would not show either.
  await posthorn.endpoints.update(till?.id ?? '', { headers: { ...till?.headers, authorization: 'Bearer mine' } })
  await posthorn.applications.update(here.id, { name: 'Acme, renamed here' })

  const rotated = `whsec_${Buffer.alloc(24, 6).toString('base64')}`
  await svix.endpoint.update('acme', 'till', { url: 'https://acme.example/new' })
  await svix.endpoint.updateHeaders('acme', 'till', { headers: { 'x-region': 'south' } })
  await svix.endpoint.rotateSecret('acme', 'till', { key: rotated })
  await svix.endpoint.create('acme', { uid: 'second', url: 'https://acme.example/second' })
  const { code, lines } = await importSvix(url)
  expect({ code, imported: JSON.parse(lines[0] ?? '') }).toMatchObject({
    code: 0,
    imported: { created: { endpoints: 1 }, changed: { applications: 0, endpoints: 1 }, unchanged: 5 },
  })
  expect(await posthorn.endpoints.get(till?.id ?? '')).toMatchObject({
    url: 'https://acme.example/new',
    headers: { 'x-region': 'south', authorization: 'Bearer mine' },
  })
  expect((await posthorn.endpoints.get(till?.id ?? '')).secrets[0]?.value).toBe(rotated)
  expect((await posthorn.applications.get('acme')).name).toBe('Acme, renamed here')
})

test('calls by the id of Svix find the application that had no uid', async () => {
  const app = { id: 'app_2hBX9yvYW1QzBcTn5Yd2zJwM7Kc', name: 'By id' }
  const ep = { id: 'ep_2hBXA0cVnQ7oYxTqk3nX0sYb1fD', url: 'https://acme.example/hooks' }
  const { url, posthorn, importSvix } = await standIn({
    '/app': [app],
    [`/app/${app.id}/endpoint`]: [ep],
    [`/app/${app.id}/endpoint/${ep.id}/secret`]: { key: secret },
  })
  expect((await importSvix(url)).code).toBe(0)
  expect(await posthorn.send({ application: app.id, type: 'invoice.paid', data: {} })).toMatchObject({ deliveries: 1 })
  expect((await posthorn.endpoints.list({ application: app.id }))[0]?.uid).toBe(ep.id)
})

test('lists what cannot be taken, takes the rest, and ends with 3', async () => {
  const app = { id: 'app_1', uid: 'acme', name: 'Acme' }
  const base = '/app/app_1/endpoint'
  const { url, posthorn, importSvix } = await standIn({
    '/app': [app, { id: 'app_2', uid: 'x'.repeat(300), name: 'Too long' }],
    [base]: [
      endpoint('ep_pair'),
      endpoint('ep_sensitive'),
      endpoint('ep_changed'),
      endpoint('ep_bad', { url: 'ftp://acme.example' }),
    ],
    '/app/app_2/endpoint': [endpoint('ep_of_none')],
    [`${base}/ep_pair/secret`]: { key: 'whpk_public' },
    [`${base}/ep_sensitive/secret`]: { key: secret.slice('whsec_'.length) },
    [`${base}/ep_sensitive/headers`]: { headers: {}, sensitive: ['authorization'] },
    [`${base}/ep_changed/secret`]: { key: secret },
    [`${base}/ep_changed/transformation`]: { enabled: true, code: 'function handler() {}' },
    [`${base}/ep_bad/secret`]: { key: secret },
    '/app/app_2/endpoint/ep_of_none/secret': { key: secret },
    '/event-type': [
      { name: 'a..b', description: 'refused here' },
      { name: 'user.created', description: 'theirs' },
    ],
  })
  await posthorn.eventTypes.create({ name: 'user.created', description: 'ours' })
  const { code, lines } = await importSvix(url)
  const { created, notTaken } = JSON.parse(lines[0] ?? '') as {
    created: object
    notTaken: { what: string; why: string }[]
  }
  expect({ code, created }).toEqual({ code: 3, created: { applications: 1, endpoints: 2, eventTypes: 0 } })
  expect(notTaken.map(({ what }) => what).toSorted()).toEqual([
    `application ${'x'.repeat(300)}`,
    'endpoint ep_bad of acme (ftp://acme.example)',
    `endpoint ep_of_none of ${'x'.repeat(300)} (https://acme.example/ep_of_none)`,
    'endpoint ep_pair of acme (https://acme.example/ep_pair)',
    'event type a..b',
    'event type user.created',
    'header authorization of endpoint ep_sensitive of acme (https://acme.example/ep_sensitive)',
    'transformation of endpoint ep_changed of acme (https://acme.example/ep_changed)',
  ])
  expect((await posthorn.eventTypes.get('user.created')).description).toBe('ours')
  expect((await posthorn.endpoints.list({ application: 'acme' })).map(({ uid }) => String(uid)).toSorted()).toEqual([
    'ep_changed',
    'ep_sensitive',
  ])
})

test('says which endpoints are no longer in Svix', async () => {
  const { url, svix, posthorn, importSvix } = await scene()
  await fill(svix)
  await importSvix(url)
  await svix.endpoint.delete('acme', 'till')
  const { code, lines } = await importSvix(url)
  const till = (await posthorn.endpoints.list({ application: 'acme' })).find(({ uid }) => uid === 'till')
  expect({ code, line: lines[0] }).toMatchObject({
    code: 3,
    line: expect.stringContaining(`posthorn endpoints delete ${till?.id}`),
  })
})

test('refuses everything if a uid is in use here by something that was not imported', async () => {
  const { url, svix, posthorn, importSvix } = await scene()
  await fill(svix)
  await posthorn.applications.create({ uid: 'acme', name: 'Another Acme' })
  const before = await everythingIn(posthorn)
  const { code, lines, stderr } = await importSvix(url)
  expect({ code, lines }).toEqual({ code: 1, lines: [] })
  expect(stderr).toMatch(/Nothing was imported.*\n {2}application acme is app_\w+ here, which is not from app_/)
  expect(await everythingIn(posthorn)).toEqual(before)
})

test('refuses everything if the uid of an endpoint is in use, or two would have one name', async () => {
  const { url, svix, posthorn, importSvix } = await scene()
  await svix.application.create({ name: 'Acme', uid: 'acme' })
  await importSvix(url)
  await posthorn.endpoints.create({ application: 'acme', uid: 'till', url: 'https://other.example/' })
  await svix.endpoint.create('acme', { uid: 'till', url: 'https://acme.example/hooks' })
  expect(await importSvix(url)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('endpoint till of acme is ep_'),
  })

  const twins = [
    { id: 'app_a', name: 'One' },
    { id: 'app_b', uid: 'app_a', name: 'Other' },
  ]
  const other = await standIn({ '/app': twins, '/app/app_a/endpoint': [], '/app/app_b/endpoint': [] })
  expect(await other.importSvix(other.url)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('application app_a is the uid of one'),
  })
  expect(await other.posthorn.applications.list()).toEqual([])
})

test('an import of nothing says so', async () => {
  const { url, importSvix } = await scene()
  expect(await importSvix(url)).toMatchObject({
    code: 3,
    lines: [],
    stderr: expect.stringContaining('nothing to import'),
  })
})

test('refuses a token that Svix does not know, and what is no Svix', async () => {
  const { url, environment } = await scene()
  const wrong = await run(['import', 'svix', '--url', url, '--token', 'wrong'], environment)
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected `--token` to be one that') })
  const none = await run(['import', 'svix', '--url', 'http://127.0.0.1:9', '--token', token], environment)
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('Expected http://127.0.0.1:9 to answer') })
  const elsewhere = await run(['import', 'svix', '--url', `${url}/elsewhere`, '--token', token], environment)
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('that of a Svix server') })
  const other = await standIn({ '/event-type': { no: 'list' } })
  expect(await other.importSvix(other.url)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('answers as Svix does'),
  })
})

test.each([[[]], [['--url', 'https://api.svix.com']], [['--token', 'x']]])(
  'import svix %j is wrong usage',
  async (args) => {
    const { environment } = await emptyHere(await temporaryFolder())
    expect(await run(['import', 'svix', ...args], environment)).toMatchObject({ code: 2 })
  },
)

test('reads the token from a file, and waits when it is asked to', async () => {
  const folder = await temporaryFolder()
  writeFileSync(join(folder, 'token'), `${token}\n`)
  const { url, environment, asked } = await standIn(
    { '/app': [{ id: 'app_1', name: 'Acme' }], '/app/app_1/endpoint': [] },
    { busyFirst: true },
  )
  const args = ['import', 'svix', '--url', url, '--token-file', join(folder, 'token')]
  const { code, lines } = await run(args, environment)
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      'created: 1 applications, 0 endpoints, 0 event types',
      'changed: 0 applications, 0 endpoints, 0 event types',
      'unchanged: 0',
    ],
  })
  expect(asked.slice(0, 2)).toEqual([`Bearer ${token}`, `Bearer ${token}`])
})

function endpoint(id: string, more: object = {}): object {
  return { id, url: `https://acme.example/${id}`, ...more }
}

/** Hand-made answers by path: lists in pages of one, objects as they are, 404 for the rest. */
async function standIn(answers: Record<string, object>, { busyFirst = false } = {}) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(String(request.headers.authorization))
    if (busyFirst && asked.length === 1) return void response.writeHead(429, { 'retry-after': '0' }).end()
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const found = answers[pathname.replace('/api/v1', '')] ?? (pathname.endsWith('/event-type') ? [] : undefined)
    if (found === undefined) return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    const start = Number(searchParams.get('iterator') ?? 0)
    const body = Array.isArray(found)
      ? { data: found.slice(start, start + 1), iterator: String(start + 1), done: start + 1 >= found.length }
      : found
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, ...(await emptyHere(await temporaryFolder())) }
}

async function everythingIn(posthorn: Posthorn): Promise<object> {
  return {
    applications: await posthorn.applications.list(),
    endpoints: await posthorn.endpoints.list(),
    eventTypes: await posthorn.eventTypes.list({ archived: true }),
    audit: await posthorn.audit(),
  }
}
