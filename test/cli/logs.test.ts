import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { manualClock, receiver } from 'posthorn/testing'
import { logEvents } from '../../src/cli/logs/events.ts'
import { makeLog, mostLinesPerSecond } from '../../src/cli/logs/log.ts'
import type { Log, LogOptions } from '../../src/cli/logs/log.ts'
import { builtPackage } from './built.ts'
import { temporaryFolder } from './folder.ts'
import { linesOf } from './log-lines.ts'
import { startProgram } from './program.ts'
import { run } from './run.ts'

const built = builtPackage()

function logHere(options: Partial<LogOptions> = {}) {
  const clock = manualClock()
  const written: string[] = []
  const log = makeLog({ level: 'info', format: 'json', clock, write: (line) => written.push(line), ...options })
  return { clock, log, written, lines: () => linesOf(written.join('')) }
}

function writeMany(log: Log, count: number): void {
  for (let written = 0; written < count; written += 1) log.write('info', 'delivery.failed', () => ({ written }))
}

test('a line is JSON with time, level, event and fields, and ends with a line feed', () => {
  const { log, written, lines } = logHere()
  log.write('warn', 'delivery.dead', () => ({ delivery_id: 'dlv_1', error: null }))
  expect(written).toEqual([expect.stringMatching(/^\{.*\}\n$/)])
  expect(lines()).toEqual([
    { level: 'warn', time: '2026-01-01T00:00:00.000Z', event: 'delivery.dead', delivery_id: 'dlv_1', error: null },
  ])
})

test('as text a line is for a person, and nothing in it can move the cursor', () => {
  const { log, written } = logHere({ format: 'text' })
  const fields = { error: 'HTTP 500', code: 'lost', store_code: null, odd: 'a\u001b[2Jb\nc' }
  log.write('warn', 'lease.lost', () => ({ msg: 'Gone.', ...fields }))
  expect(written).toEqual([
    `2026-01-01T00:00:00.000Z warn  lease.lost Gone. error="HTTP 500" code=lost odd="a\\u001b[2Jb\\nc"\n`,
  ])
})

test('of one event only so many lines are written per second, and the rest is counted, not lost', async () => {
  const { clock, log, lines } = logHere()
  writeMany(log, mostLinesPerSecond + 1_234)
  log.write('warn', 'lease.lost', () => ({}))
  expect(lines()).toHaveLength(mostLinesPerSecond + 1)
  await clock.advance(1_000)
  expect(lines().at(-1)).toEqual({
    level: 'info',
    time: '2026-01-01T00:00:01.000Z',
    event: 'delivery.failed',
    suppressed: 1_234,
    msg: '… 1,234 more delivery.failed in the last second',
  })
  expect(lines()).toHaveLength(mostLinesPerSecond + 2)

  // The next second has lines of its own; what is left at the end is said at the end.
  writeMany(log, mostLinesPerSecond + 5)
  log.close()
  expect(lines().at(-1)).toMatchObject({ event: 'delivery.failed', suppressed: 5 })
  expect(clock.pending()).toBe(0)
  const failed = lines().filter(({ event }) => event === 'delivery.failed')
  const counted = failed.reduce((sum, { suppressed }) => sum + (typeof suppressed === 'number' ? suppressed : 1), 0)
  expect(counted).toBe(2 * mostLinesPerSecond + 1_234 + 5)
})

test('what is below the level is neither counted nor even listened for', () => {
  const { log, written } = logHere()
  log.write('debug', 'delivery.delivered', () => {
    throw new Error('A line that nobody reads was built.')
  })
  expect(written).toEqual([])
  const heard: string[] = []
  logEvents({ on: (type) => (heard.push(type), () => undefined) }, log)
  expect(heard).toContain('delivery.failed')
  expect(heard).not.toContain('delivery.delivered')
  expect(heard).not.toContain('message.enqueued')
})

test.each([
  ['serve', 'POSTHORN_LOG_LEVEL', 'loud', 'debug, info, warn, error, silent'],
  ['worker', 'POSTHORN_LOG_LEVEL', 'INFO', 'debug, info, warn, error, silent'],
  ['dev', 'POSTHORN_LOG_FORMAT', 'xml', 'json, text'],
])('posthorn %s refuses %s=%s at its start, and says what is allowed', async (command, name, value, allowed) => {
  const file = join(await temporaryFolder(), 'posthorn.db')
  const ended = await run([command], { POSTHORN_DATABASE_URL: `sqlite:${file}`, POSTHORN_PORT: '0', [name]: value })
  expect(ended).toEqual({
    code: 1,
    lines: [],
    stderr: `posthorn: Expected \`${name}\` to be one of ${allowed}, got "${value}".\n`,
  })
})

test('silent writes nothing, and what stdout says stays the same', async () => {
  const file = join(await temporaryFolder(), 'posthorn.db')
  const program = startProgram(built.path('cli/main.js'), ['worker', '--database', `sqlite:${file}`], {
    POSTHORN_LOG_LEVEL: 'silent',
  })
  await program.says(/^posthorn worker /)
  program.child.kill('SIGTERM')
  expect(await program.ended).toEqual({ code: 0, signal: null })
  expect(program.stderr).toBe('')
  expect(program.lines).toHaveLength(2)
})

test('fifty secrets and bodies go through a server that logs all it can, and none is in its log', async () => {
  let planted = 0
  const plant = (): string => `planted${String((planted += 1)).padStart(4, '0')}${'x'.repeat(32)}`
  const adminKey = plant()
  const local = await receiver()
  onTestFinished(() => local.close())
  const program = startProgram(built.path('cli/main.js'), ['serve'], {
    POSTHORN_DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'posthorn.db')}`,
    POSTHORN_PORT: '0',
    POSTHORN_ADMIN_KEY: adminKey,
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_LOG_LEVEL: 'debug',
    MAX_RETRY_ATTEMPTS: '0',
  })
  const url = (await program.says(/^posthorn listening on /)).slice('posthorn listening on '.length)
  const call = async (path: string, body: unknown, headers = {}): Promise<number> => {
    const authorization = `Bearer ${adminKey}`
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization, connection: 'close', ...headers },
      body: JSON.stringify(body),
    })
    await response.text()
    return response.status
  }

  const statuses = { ok: 200, dead: 500, retried: 503 }
  local.behave('*', ({ path }) => {
    const status = Object.entries(statuses).find(([uid]) => path.startsWith(`/${uid}?`))?.[1] ?? 404
    return { status, headers: { 'x-answer': plant() }, body: plant() }
  })
  for (const [uid, policy] of Object.entries({ ok: 'standard', dead: 'standard', retried: 'patient' })) {
    const endpoint = {
      uid,
      policy,
      url: `${local.url(`/${uid}`)}?token=${plant()}`,
      secret: `whsec_${Buffer.from(plant().slice(0, 32)).toString('base64')}`,
      headers: { 'x-own': plant() },
      metadata: { note: plant() },
      description: plant(),
    }
    expect(await call('/app/acme/endpoint', endpoint)).toBe(uid === 'ok' ? 404 : 201)
    if (uid === 'ok') {
      expect(await call('/app', { name: plant(), uid: 'acme' })).toBe(201)
      expect(await call('/app/acme/endpoint', endpoint)).toBe(201)
    }
  }
  for (let sent = 0; sent < 5; sent += 1) {
    const message = { eventType: 'invoice.paid', payload: { text: plant() }, tags: [plant()] }
    expect(await call('/app/acme/msg', message, { 'idempotency-key': plant() })).toBe(202)
  }
  expect(await call('/app/acme/msg', { eventType: { odd: plant() }, payload: { text: plant() } })).toBe(422)
  expect(await call('/app/acme/msg', { eventType: `${plant()} !`, payload: {} })).toBe(422)
  expect(await call('/app/acme/endpoint', { url: `http://user:${plant()}@127.0.0.1/` })).toBe(422)
  expect(await call('/app', {}, { authorization: `Bearer ${plant()}` })).toBe(401)
  await program.says(/"event":"delivery.delivered"/, 5)
  await program.says(/"event":"delivery.dead"/, 5)
  await program.says(/"event":"delivery.failed"/, 5)
  program.child.kill('SIGTERM')
  expect(await program.ended).toEqual({ code: 0, signal: null })

  expect(planted).toBeGreaterThanOrEqual(50)
  expect(program.stderr).not.toContain('planted')
  expect(program.stderr).not.toContain(Buffer.from('planted00').toString('base64'))
  const lines = linesOf(program.stderr)
  expect(lines).toHaveLength(program.stderr.trimEnd().split('\n').length)
  for (const line of lines) {
    expect(line).toMatchObject({ level: expect.any(String), event: expect.any(String) })
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  }
  expect(lines).toContainEqual({
    level: 'info',
    time: expect.any(String),
    event: 'delivery.failed',
    delivery_id: expect.stringMatching(/^dlv_/),
    endpoint_id: expect.stringMatching(/^ep_/),
    message_id: expect.stringMatching(/^msg_/),
    attempt: 1,
    outcome: 'answered',
    error: 'HTTP 503',
    duration_ms: expect.any(Number),
    next_retry_at: expect.any(String),
  })
  expect(lines).toContainEqual({
    level: 'debug',
    time: expect.any(String),
    event: 'api.request',
    operation: 'v1.message.create',
    status: 202,
    duration_ms: expect.any(Number),
  })
})
