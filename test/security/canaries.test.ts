import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { operations } from '../../src/server/operations.ts'
import { receiver } from '../../src/testing/receiver.ts'
import { builtPackage } from '../cli/built.ts'
import { run } from '../cli/run.ts'
import { Canaries, leaks, sightings, sinks } from './canaries/canary.ts'
import type { Contents, Sink } from './canaries/canary.ts'
import { ofAnswers, plantAll } from './canaries/planting.ts'
import type { Planted } from './canaries/planting.ts'
import { startCanaryServer } from './canaries/server.ts'
import type { CanaryServer } from './canaries/server.ts'
import { databases, securityDatabase } from './databases.ts'

const built = builtPackage()
const limit = { timeout: 120_000 }

interface Searched {
  readonly planted: number
  readonly found: readonly string[]
  /** Where they belong. */
  readonly seen: readonly string[]
}

/** Plants fifty secrets in a server of its own, and looks for them wherever it speaks and stores. */
async function search(
  kind: (typeof databases)[number],
  more: Readonly<Record<string, string>> = {},
): Promise<Searched> {
  const canaries = new Canaries()
  const database = await securityDatabase(kind)
  const local = await receiver()
  onTestFinished(() => local.close())
  const body = `no: ${canaries.plant('what an endpoint answered', ofAnswers)}`
  const cookie = canaries.plant('a cookie of an endpoint')
  // Headers of failed attempts are kept: neither a cookie nor what repeats the query may be among them.
  const refused = (path: string) => ({ status: 500, body, headers: { 'set-cookie': `id=${cookie}`, 'x-echo': path } })
  local.behave('*', ({ path }) => (path.startsWith('/fails') ? refused(path) : 200))
  const ring = ['the newest key of secrets', 'an older key of secrets'].map((name) =>
    canaries.note(name, randomBytes(32).toString('base64')),
  )
  const server = await startCanaryServer(built.path('cli/main.js'), {
    ...database.environment,
    POSTHORN_SECRETS_KEY: ring.join(','),
    POSTHORN_LOG_LEVEL: 'debug',
    POSTHORN_METRICS_PUBLIC: '1',
    POSTHORN_METRICS_ENDPOINTS: '1',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_PORT: '0',
    MAX_RETRY_ATTEMPTS: '0',
    ...more,
  })
  const planted = await plantAll(server, canaries, local.url(''))
  await delivered(server)
  const said = await commandsWith(canaries)
  const contents = await collect(server, planted, said)
  const stored = `${await database.contents()}${await ended(server)}${await database.contents()}`
  const { lines, stderr } = server.program
  const logs = `${lines.join('\n')}\n${stderr}`
  const all = { ...contents, logs, database: stored }
  return { planted: canaries.all.length, found: leaks(canaries.all, all), seen: sightings(canaries.all, all) }
}

/** Every delivery has been tried, and is in the stream. */
async function delivered({ ask, streamed }: CanaryServer): Promise<void> {
  const open = async (): Promise<string> =>
    (await ask('GET', '/api/v1/delivery?status=pending&status=failed')).text.replaceAll(/\s/g, '')
  await expect.poll(open, { timeout: 30_000 }).toContain('"data":[]')
  await expect.poll(() => streamed().match(/^event: delivery\.dead$/gm)?.length, { timeout: 30_000 }).toBe(4)
}

async function ended({ program }: CanaryServer): Promise<string> {
  program.child.kill('SIGTERM')
  expect(await program.ended).toEqual({ code: 0, signal: null })
  return ''
}

/** Commands whose settings are secrets, and do not work: what they say is for people, and for logs. */
async function commandsWith(canaries: Canaries): Promise<string> {
  const password = canaries.plant('the password of a database')
  const environment = {
    POSTHORN_DATABASE_URL: `postgres://kim:${password}@127.0.0.1:9/x`,
    POSTHORN_PLAINTEXT_SECRETS: '1',
  }
  const ran = [
    await run(['config'], { ...environment, POSTHORN_KEY: canaries.plant('the key of a command') }),
    await run(['migrate'], environment),
    await run(['config'], { POSTHORN_ADMIN_KEY: `${canaries.plant('an admin key with a space')} x` }),
    await run(['secrets', 'rotate'], { POSTHORN_SECRETS_KEY: canaries.plant('a key of secrets that is none') }),
  ]
  return ran.map(({ lines, stderr }) => `${lines.join('\n')}\n${stderr}`).join('\n')
}

/** What a reader gets to see, what the metrics say, what was refused. */
async function collect(
  { ask, refusals, streamed }: CanaryServer,
  { readKey, endpointId, messageId }: Planted,
  said: string,
): Promise<Omit<Contents, 'logs' | 'database'>> {
  const { json } = await ask('GET', '/api/v1/delivery?limit=1')
  const [delivery] = json['data'] as unknown as { id: string }[]
  const names: Readonly<Record<string, string>> = {
    app_id: 'acme',
    endpoint_id: endpointId,
    msg_id: messageId,
    delivery_id: delivery?.id ?? '',
  }
  const read = operations.filter(
    ({ method, access, id }) => method === 'get' && access === 'read' && id !== 'v1.stream.open',
  )
  const paths = read.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'none'))
  const pages: string[] = []
  for (const path of [...paths, '/', '/settings', '/api']) pages.push((await ask('GET', path, { key: readKey })).text)
  const writers = await ask('GET', `/api/v1/app/acme/endpoint/${endpointId}/headers`)
  return {
    pages: `${pages.join('\n')}${writers.text}`,
    metrics: (await ask('GET', '/metrics')).text,
    audit: (await ask('GET', '/api/v1/audit?limit=250')).text,
    errors: `${refusals.join('\n')}\n${said}`,
    stream: streamed(),
  }
}

describe.each(databases)('on %s', (kind) => {
  test('no planted secret is seen where it must not be', limit, async () => {
    const { planted, found, seen } = await search(kind)
    process.stdout.write(`canaries ${planted} found ${found.length}\n`)
    expect(found).toEqual([])
    expect(planted).toBe(50)
    expect(seen).toEqual(
      expect.arrayContaining([
        'a payload in pages',
        'a raw payload in database',
        'what an endpoint answered in stream',
        'what an endpoint answered in pages',
        'a query value of a failing endpoint in database',
      ]),
    )
  })
})

describe('the search itself', () => {
  test('finds what lies in clear in a database without encryption', limit, async () => {
    const { found } = await search('sqlite', { POSTHORN_PLAINTEXT_SECRETS: '1' })
    expect(found).toEqual(
      expect.arrayContaining(['header x-tenant in database', 'the secret of a rotation in database']),
    )
  })

  test('finds a secret in every place that it looks at, plain or encoded', () => {
    const canaries = new Canaries()
    const value = canaries.plant('one')
    const nothing = Object.fromEntries(sinks.map((sink) => [sink, 'nothing here'])) as Record<Sink, string>
    expect(leaks(canaries.all, nothing)).toEqual([])
    for (const sink of sinks) {
      for (const form of [value, Buffer.from(value).toString('hex'), Buffer.from(value).toString('base64')])
        expect(leaks(canaries.all, { ...nothing, [sink]: `before ${form} after` })).toEqual([`one in ${sink}`])
    }
    expect(leaks([{ name: 'two', value, forbidden: ['logs'] }], { ...nothing, database: value })).toEqual([])
  })
})
