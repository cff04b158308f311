import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isFast } from '../postgres.ts'
import { run } from './run.ts'
import { serveHere } from './serve-here.ts'
import { shop } from './shop.ts'

interface Examined {
  readonly code: number
  readonly ok: boolean
  readonly level: Readonly<Record<string, string>>
  readonly sentence: Readonly<Record<string, string>>
}

async function examine(environment: Readonly<Record<string, string>>): Promise<Examined> {
  const { code, lines } = await run(['doctor', '--json'], environment)
  const { ok, checks } = JSON.parse(lines[0] ?? '') as {
    ok: boolean
    checks: { name: string; level: string; sentence: string }[]
  }
  return {
    code,
    ok,
    level: Object.fromEntries(checks.map(({ name, level }) => [name, level])),
    sentence: Object.fromEntries(checks.map(({ name, sentence }) => [name, sentence])),
  }
}

describe.each(isFast ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const))('on %s', (database) => {
  test('what is due without a worker fails, and a worker that is there is named', async () => {
    const { environment, posthorn, endpointId, send } = await shop(database)
    expect(await examine(environment)).toMatchObject({ code: 0, ok: true, level: { workers: 'warn', database: 'ok' } })
    await send(1)
    await posthorn.endpoints.resume(endpointId, { by: 'the test' })
    const due = await examine(environment)
    expect(due).toMatchObject({ code: 1, ok: false, level: { workers: 'fail' } })
    expect(due.sentence['workers']).toMatch(/^Deliveries are due, and no worker is there\. Start one: /)
    await posthorn.endpoints.pause(endpointId, { by: 'the test' })
    await posthorn.start()
    const working = await examine(environment)
    expect(working).toMatchObject({ code: 0, level: { workers: 'ok' } })
    expect(working.sentence['workers']).toContain(`1 worker delivers: ${process.pid} on `)
  })

  test('alarms that go nowhere are said, and so is a target that takes none', async () => {
    const { environment, posthorn } = await shop(database)
    expect((await examine(environment)).sentence['alarms']).toMatch(
      /^Alarms go to the log and the dashboard only\. Add a /,
    )
    const { id } = await posthorn.alarms.addTarget({ url: 'https://ops.example/hooks' })
    const working = await examine(environment)
    expect([working.level['alarms'], working.sentence['alarms']]).toEqual(['ok', 'Alarms go to 1 target.'])
    await posthorn.endpoints.disable(id)
    const broken = await examine(environment)
    expect(broken).toMatchObject({ code: 1, level: { alarms: 'fail' } })
    expect(broken.sentence['alarms']).toContain(id)
    expect((await examine({ ...environment, POSTHORN_ALARMS: '0' })).level['alarms']).toBe('warn')
  })

  test('a lease that ended long ago and that nobody has taken up is found', async () => {
    const { environment, store, endpointId, send } = await shop(database)
    await send(1)
    const wants = [{ endpointId, lane: 'fresh' as const, most: 1, mostBytes: 1_000_000 }]
    const now = (await store.directory.listDeliveries({ endpointId }, { limit: 1, after: null }))[0]?.createdAt ?? 0
    expect(await store.queue.claim({ owner: 'gone', leaseMs: 1, now, most: 1, wants })).toHaveLength(1)
    const soon = await examine(environment)
    expect(soon.level['leases']).toBe('ok')
    const settings = { ...environment, POSTHORN_POLL_MS: '10' }
    await expect.poll(async () => (await examine(settings)).level['leases']).toBe('warn')
    expect((await examine(settings)).sentence['leases']).toMatch(/^1 lease expired more than two ticks ago/)
  })
})

test.skipIf(isFast)('on PostgreSQL the connections that are free are counted', async () => {
  const { environment } = await shop('postgres')
  const { level, sentence } = await examine(environment)
  expect(['ok', 'warn']).toContain(level['connections'])
  expect(sentence['connections']).toMatch(/^\d+ of \d+ connections to PostgreSQL are free\./)
})

test('what works but should not stay so warns, and does not fail', async () => {
  const { environment } = await shop()
  const settings = {
    POSTHORN_LOG_LEVEL: 'silent',
    POSTHORN_LEASE_MS: '1000',
    POSTHORN_POLL_MS: '5000',
    POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS: '1',
  }
  const { code, ok, level, sentence } = await examine({ ...environment, ...settings })
  expect({ code, ok }).toEqual({ code: 0, ok: true })
  expect(level).toMatchObject({ log: 'warn', leases: 'warn', retries: 'warn', secrets: 'ok' })
  for (const name of ['log', 'leases', 'retries']) expect(sentence[name]).toMatch(/: set|Set POSTHORN|unset it/)
})

test('a setting that nobody can read is a line that fails, and names it', async () => {
  const found = await examine({ POSTHORN_LOG_FORMAT: 'xml' })
  expect(found).toMatchObject({ code: 1, ok: false, level: { settings: 'fail' } })
  expect(found.sentence['settings']).toBe('Expected `POSTHORN_LOG_FORMAT` to be one of json, text, got "xml".')
})

test('a key that does not fit, and a schema of a later release, fail and say what to do', async () => {
  const { environment, posthorn } = await shop()
  const otherKey = Buffer.alloc(32, 9).toString('base64')
  expect(await examine({ ...environment, POSTHORN_SECRETS_KEY: otherKey })).toMatchObject({
    code: 1,
    level: { database: 'ok', secrets: 'fail' },
  })
  await posthorn.stop()
  const file = new DatabaseSync((environment['POSTHORN_DATABASE_URL'] ?? '').slice('sqlite:'.length))
  file.exec('insert into posthorn_migrations (version) values (999)')
  file.close()
  const later = await examine(environment)
  expect(later).toMatchObject({ code: 1, level: { database: 'ok', migrations: 'fail' } })
  expect(later.sentence['migrations']).toMatch(/^The schema has version 999, .* Upgrade this Posthorn\.$/)
  expect(later.level).not.toHaveProperty('secrets')
})

test('a port that another program has warns, and one that a Posthorn has is well', async () => {
  const { environment } = await shop()
  const other = createServer((socket) => socket.end('not HTTP\n')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  onTestFinished(() => void other.close())
  const taken = String((other.address() as AddressInfo).port)
  const found = await examine({ ...environment, POSTHORN_PORT: taken })
  expect(found).toMatchObject({ code: 0, level: { port: 'warn' } })
  expect(found.sentence['port']).toBe(
    `Another program has port ${taken} on 127.0.0.1. Stop it, or change POSTHORN_PORT.`,
  )

  const own = await shop()
  const url = await serveHere(own.environment, '--no-worker')
  expect((await examine({ ...environment, POSTHORN_PORT: new URL(url).port })).level['port']).toBe('ok')
})
