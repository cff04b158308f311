import { once } from 'node:events'
import { connect } from 'node:net'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import { verify } from 'posthorn/verify'
import { freshSchema, isFast } from '../postgres.ts'
import { builtPackage } from './built.ts'
import { temporaryFolder } from './folder.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'
import { run } from './run.ts'
import { serveHere } from './serve-here.ts'

const built = builtPackage()
const adminKey = 'an-admin-key-of-the-test'

async function environmentOf(database: 'sqlite' | 'postgres'): Promise<Record<string, string>> {
  const usual = { POSTHORN_PORT: '0', POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8' }
  if (database === 'sqlite')
    return { ...usual, POSTHORN_DATABASE_URL: `sqlite:${join(await temporaryFolder(), 'posthorn.db')}` }
  const { url, schema, drop } = freshSchema()
  onTestFinished(drop)
  const home = { HOME: await temporaryFolder() }
  return { ...usual, ...home, POSTHORN_DATABASE_URL: url, POSTHORN_SCHEMA: schema, POSTHORN_PLAINTEXT_SECRETS: '1' }
}

function posthorn(args: readonly string[], environment: Readonly<Record<string, string>>): Program {
  return startProgram(built.path('cli/main.js'), args, environment, { cwd: environment['HOME'] })
}

async function listening(program: Program): Promise<string> {
  const line = await program.says(/^posthorn listening on /)
  return line.slice('posthorn listening on '.length)
}

async function call(
  url: string,
  key: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const headers = { connection: 'close', ...(key !== null && { authorization: `Bearer ${key}` }) }
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}

describe.each(isFast ? (['sqlite'] as const) : (['sqlite', 'postgres'] as const))(
  'posthorn serve on %s',
  (database) => {
    test(
      'makes a key on its first start, in a file for this user only, and delivers a signed webhook',
      { timeout: 60_000 },
      async () => {
        const environment = await environmentOf(database)
        const local = await receiver()
        onTestFinished(() => local.close())
        if (database === 'postgres') expect(await posthorn(['migrate'], environment).ended).toMatchObject({ code: 0 })
        const first = posthorn(['serve'], environment)
        const [, file = ''] = /^posthorn admin key is in (\S+), /.exec(await first.says(/^posthorn admin key /)) ?? []
        const key = (await readFile(file, 'utf8')).trim()
        expect((await stat(file)).mode & 0o777).toBe(0o600)
        expect(`${first.lines.join('\n')}${first.stderr}`).not.toContain(key)
        await first.says(/"msg":"Retry policy standard: 6 attempts over 31 minutes, /)
        const url = await listening(first)

        expect(await call(url, null, 'GET', '/readyz')).toMatchObject({ status: 200 })
        expect(await call(url, key, 'POST', '/api/v1/app', { name: 'Acme', uid: 'acme' })).toMatchObject({
          status: 201,
        })
        const endpoint = await call(url, key, 'POST', '/api/v1/app/acme/endpoint', { url: local.url('/hook') })
        const secret = await call(
          url,
          key,
          'GET',
          `/api/v1/app/acme/endpoint/${(endpoint.body as { id: string }).id}/secret`,
        )
        expect(
          await call(url, key, 'POST', '/api/v1/app/acme/msg', { eventType: 'invoice.paid', payload: { id: 7 } }),
        ).toMatchObject({ status: 202 })
        const [receipt] = await local.waitFor(1)
        expect(Buffer.from(receipt?.body ?? []).toString()).toBe('{"id":7}')
        expect(() =>
          verify(receipt?.body ?? '', receipt?.headers ?? {}, (secret.body as { key: string }).key),
        ).not.toThrow()

        first.child.kill('SIGTERM')
        expect(await first.ended).toEqual({ code: 0, signal: null })

        const second = posthorn(['serve', '--no-worker'], environment)
        const again = await listening(second)
        expect(second.lines.join('\n')).not.toContain('admin key')
        expect(await call(again, key, 'GET', '/api/v1/app/acme')).toMatchObject({ status: 200 })
      },
    )
  },
)

test('a key that was given is the only one, and may come from a file', async () => {
  const program = posthorn(['serve'], { ...(await environmentOf('sqlite')), POSTHORN_ADMIN_KEY: adminKey })
  const url = await listening(program)
  expect(program.lines).toHaveLength(1)
  expect(await call(url, adminKey, 'GET', '/api/v1/app')).toMatchObject({ status: 200 })
  expect(await call(url, `${adminKey}x`, 'GET', '/api/v1/app')).toMatchObject({ status: 401 })
  expect(await call(url, null, 'GET', '/api/v1/app')).toMatchObject({ status: 401 })
})

test('on SIGTERM readiness fails first, and a second signal leaves at once', async () => {
  const program = posthorn(['serve'], { ...(await environmentOf('sqlite')), POSTHORN_ADMIN_KEY: adminKey })
  const url = await listening(program)
  expect((await call(url, null, 'GET', '/readyz')).status).toBe(200)
  // Half a request, which the end has to wait for.
  const half = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void half.destroy())
  await once(half, 'connect')
  half.write('GET / HTTP/1.1\r\n')
  program.child.kill('SIGTERM')
  await program.says(/"event":"stopping"/)
  const ready = await call(url, null, 'GET', '/readyz').catch(() => ({ status: 'refused' }))
  expect([503, 'refused']).toContain(ready.status)
  // Sent again and again, because two signals within a moment count as one.
  let hasEnded = false
  const ended = program.ended.finally(() => (hasEnded = true))
  while (!hasEnded) {
    program.child.kill('SIGTERM')
    await new Promise(setImmediate)
  }
  expect((await ended).code).toBe(130)
})

test('an endpoint that leads back to the server itself is refused, whatever else is allowed', async () => {
  const url = await serveHere({ ...(await environmentOf('sqlite')), POSTHORN_ADMIN_KEY: adminKey })
  await call(url, adminKey, 'POST', '/api/v1/app', { name: 'Acme', uid: 'acme' })
  for (const target of [url, url.replace('127.0.0.1', 'localhost'), url.replace('127.0.0.1', '127.1')]) {
    const reply = await call(url, adminKey, 'POST', '/api/v1/app/acme/endpoint', { url: `${target}/api/v1/app` })
    expect(reply).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'url'], type: 'value_error.forbidden_address' }] },
    })
  }
})

test.each([
  [
    { POSTHORN_ADMIN_KEY: 'too-short' },
    'Expected `POSTHORN_ADMIN_KEY` to be at least 20 printable characters without spaces, got "one of 9".',
  ],
  [{ POSTHORN_PORT: '70000' }, 'Expected `POSTHORN_PORT` to be a whole number from 0 to 65535'],
  [{ POSTHORN_DATABASE_URL: 'mysql://me:secret@host/db' }, 'Expected `database` to be `sqlite:`'],
])('%j is refused in one line', async (change, wanted) => {
  const { code, lines, stderr } = await run(['serve'], { ...(await environmentOf('sqlite')), ...change })
  expect({ code, lines }).toEqual({ code: 1, lines: [] })
  expect(stderr).toContain(wanted)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stderr).not.toMatch(/too-short|secret/)
})

describe('posthorn dev', () => {
  test('answers the HTTP API without a key, but not to pages from elsewhere', { timeout: 60_000 }, async () => {
    // The end waits for the attempts under way, one of which hangs.
    const program = posthorn(['dev'], {
      TMPDIR: await temporaryFolder(),
      POSTHORN_PORT: '0',
      WEBHOOK_TIMEOUT_SECONDS: '1',
    })
    const url = await listening(program)
    expect(await call(url, null, 'GET', '/api/v1/app')).toMatchObject({
      status: 200,
      body: { data: expect.any(Array) as unknown[] },
    })
    await program.says(/sample\.reset for 1 endpoint$/)
    expect(
      await call(url, null, 'POST', '/api/v1/app/dev/msg', { eventType: 'sample.ok', payload: { mine: true } }),
    ).toMatchObject({ status: 202 })
    const foreign = await fetch(`${url}/api/v1/app`, {
      method: 'POST',
      body: '{"name":"x"}',
      headers: { origin: 'https://evil.example', 'content-type': 'text/plain' },
    })
    expect(foreign.status).toBe(401)
    const rebound = await fetch(`${url}/api/v1/app`, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(rebound.status).toBe(401)
    expect(await call(url, 'phk_nobody', 'GET', '/api/v1/app')).toMatchObject({ status: 401 })
    program.child.kill('SIGTERM')
    expect(await program.ended).toEqual({ code: 0, signal: null })
    expect(program.lines.at(-1)).toMatch(/^sent 21 delivered \d+ dead \d+ open \d+$/)
  })
})
