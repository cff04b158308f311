import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import { builtPackage } from './built.ts'
import { temporaryFolder } from './folder.ts'
import { linesOf } from './log-lines.ts'
import { startProgram } from './program.ts'

const built = builtPackage()

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
