import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import { commands as known } from '../../src/cli/command-table.ts'
import { builtPackage } from './built.ts'
import { temporaryFolder } from './folder.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'
import { run } from './run.ts'
import { shop } from './shop.ts'

const built = builtPackage()

function posthorn(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Program {
  return startProgram(built.path('cli/main.js'), args, environment)
}

describe('posthorn listen', () => {
  test(
    'prints what Posthorn delivers, says that the signature is valid, and answers as it is told',
    { timeout: 60_000 },
    async () => {
      const { folder, environment, secret, endpointId, posthorn: library } = await shop()
      const secretFile = join(folder, 'secret')
      writeFileSync(secretFile, `${secret}\n`)
      const listen = posthorn(['listen', '--port', '0', '--secret-file', secretFile, '--status', '201', '--json'])
      const url = /http:\S+\d/.exec(await listen.says(/^Listening on /))?.[0] ?? ''
      await library.endpoints.update(endpointId, { url: `${url}/hooks` })
      await library.endpoints.resume(endpointId)
      const { id } = await library.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })

      const worker = posthorn(['worker'], environment)
      expect(JSON.parse(await listen.says(/^\{/))).toMatchObject({
        id,
        type: 'invoice.paid',
        path: '/hooks',
        signature: 'valid',
        answer: 'HTTP 201',
      })
      worker.child.kill('SIGTERM')
      await worker.ended

      const forged = await fetch(`${url}/forged`, {
        method: 'POST',
        headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' },
        body: '{}',
      })
      expect(forged.status).toBe(201)
      expect(JSON.parse(await listen.says(/forged/))).toMatchObject({ signature: 'invalid' })
      listen.child.kill('SIGINT')
      expect(await listen.ended).toEqual({ code: 0, signal: null })
      expect(listen.stderr).not.toContain(secret)
    },
  )

  test('passes requests on byte for byte, with the answer; or breaks the connection', { timeout: 60_000 }, async () => {
    const local = await receiver({ behaviour: { status: 422, body: 'no, thanks' } })
    onTestFinished(() => local.close())
    const forwarding = posthorn(['listen', '--port', '0', '--forward', local.url('/app')])
    const url = /http:\S+\d/.exec(await forwarding.says(/^Listening on /))?.[0] ?? ''
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'webhook-id': 'msg_9' },
      body: '{"big": 12345678901234567890}',
    })
    expect({ status: answer.status, text: await answer.text() }).toEqual({ status: 422, text: 'no, thanks' })
    expect(local.receipts[0]).toMatchObject({
      id: 'msg_9',
      path: '/app',
      body: Buffer.from('{"big": 12345678901234567890}'),
    })
    await forwarding.says(/msg_9 .* signature unchecked {2}HTTP 422 from /)

    const dropping = posthorn(['listen', '--port', '0', '--drop', '--delay', '1'])
    const dropped = /http:\S+\d/.exec(await dropping.says(/^Listening on /))?.[0] ?? ''
    await expect(fetch(dropped, { method: 'POST', body: '{}' })).rejects.toThrow()
    await dropping.says(/connection broken/)
  })
})

test('posthorn verify tells a good signature from a bad one', { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder()
  const [body, secretFile] = [join(folder, 'body'), join(folder, 'secret')]
  writeFileSync(body, '{"id":7}')
  writeFileSync(secretFile, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const headers = ['--header', 'webhook-id: msg_1', '--header', 'webhook-timestamp: 1700000000']
  const signature = createHmac('sha256', Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'))
    .update('msg_1.1700000000.{"id":7}')
    .digest('base64')
  const good = ['--header', `webhook-signature: v1,${signature}`]
  const common = ['verify', body, '--secret-file', secretFile, ...headers]
  expect(await run([...common, ...good, '--tolerance', '999999999'])).toEqual({
    code: 0,
    lines: ['valid: message msg_1, signed 2023-11-14T22:13:20.000Z'],
    stderr: '',
  })
  expect(await run([...common, ...good])).toMatchObject({
    code: 1,
    lines: [],
    stderr: expect.stringContaining('within 300 s of now'),
  })
  const bad = await run([...common, '--header', 'webhook-signature: v1,AAAA', '--tolerance', '999999999'])
  expect(bad).toMatchObject({
    code: 1,
    lines: [],
    stderr: expect.stringContaining('No signature in `webhook-signature` matches'),
  })
  expect(bad.stderr).not.toContain('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
})

test(
  'posthorn config says where each value comes from: the environment before the file before the default; and shows no secret',
  { timeout: 60_000 },
  async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'settings.json')
    writeFileSync(
      file,
      JSON.stringify({
        POSTHORN_PORT: 9000,
        POSTHORN_POLL_MS: 1000,
        WEBHOOK_TIMEOUT_SECONDS: 7,
        POSTHORN_ADMIN_KEY: 'a-secret-that-nobody-sees',
      }),
    )
    const environment = {
      POSTHORN_CONFIG: file,
      POSTHORN_PORT: '9001',
      DATABASE_URL: 'postgres://me:hunter2@db/posthorn',
    }
    const { code, lines } = await run(['config', '--json'], environment)
    expect(code).toBe(0)
    const { settings } = JSON.parse(lines[0] ?? '') as { settings: { name: string; value: unknown; origin: string }[] }
    const found = (wanted: string): object => settings.find(({ name }) => name === wanted) ?? {}
    expect(found('port')).toMatchObject({ value: 9001, origin: 'environment' })
    expect(found('pollMs')).toMatchObject({ value: 1000, origin: 'file' })
    expect(found('timeoutMs')).toMatchObject({ value: 7, origin: 'file', unit: 'seconds' })
    expect(found('leaseMs')).toMatchObject({ value: 30_000, origin: 'default' })
    expect(found('adminKey')).toMatchObject({ value: '(set)', origin: 'file' })
    expect(found('databaseUrl')).toMatchObject({ value: 'postgres://me@db/posthorn', env: 'DATABASE_URL' })
    expect(lines.join('')).not.toMatch(/nobody-sees|hunter2/)

    writeFileSync(file, JSON.stringify({ POSTHORN_PROT: 9000 }))
    expect(await run(['config'], environment)).toMatchObject({
      code: 1,
      lines: [],
      stderr: expect.stringContaining('got "POSTHORN_PROT". Did you mean "POSTHORN_PORT"?'),
    })
    writeFileSync(file, 'port: 9000')
    expect(await run(['config'], environment)).toMatchObject({
      code: 1,
      lines: [],
      stderr: expect.stringContaining(`Expected ${file} to be JSON`),
    })
  },
)

test('posthorn doctor finds what is wrong and what is not, and sends nothing', { timeout: 60_000 }, async () => {
  const { environment } = await shop()
  const local = await receiver()
  onTestFinished(() => local.close())
  const checks = async (...args: string[]): Promise<Record<string, string>> => {
    const { lines } = await run(['doctor', '--json', ...args], environment)
    const found = JSON.parse(lines[0] ?? '') as { checks: { name: string; level: string }[] }
    return Object.fromEntries(found.checks.map(({ name, level }) => [name, level]))
  }
  const well = {
    database: 'ok',
    migrations: 'ok',
    secrets: 'ok',
    latency: expect.any(String),
    clock: 'ok',
    workers: 'warn',
    leases: 'ok',
    alarms: 'warn',
    disk: expect.any(String),
    port: 'ok',
    log: 'ok',
  }
  expect(await checks('--endpoint', local.url('/hook'))).toEqual({ ...well, address: 'ok', reach: 'ok' })
  expect(await checks('--endpoint', 'https://10.0.0.1/hook')).toEqual({ ...well, address: 'fail' })
  expect(local.count).toBe(0)
  const missing = await run(['doctor', '--database', 'sqlite:nowhere.db'])
  expect(missing).toMatchObject({
    code: 1,
    lines: expect.arrayContaining([expect.stringContaining('sqlite:nowhere.db does not exist')]),
  })
})

test(
  'posthorn openapi prints a description, and completion a script that its shell can read',
  { timeout: 60_000 },
  async () => {
    const described = JSON.parse((await run(['openapi', '--json'])).lines[0] ?? '') as {
      openapi: string
      paths: Record<string, unknown>
    }
    expect(described.openapi).toBe('3.1.0')
    expect(Object.keys(described.paths)).toContain('/api/v1/job')

    const { code, lines } = await run(['completion', 'bash'])
    expect(code).toBe(0)
    const ask = `${lines.join('\n')}\nCOMP_WORDS=(posthorn dlq re); COMP_CWORD=2; _posthorn; echo "$COMPREPLY"; COMP_WORDS=(posthorn dlq retry --dry); COMP_CWORD=3; _posthorn; echo "$COMPREPLY"`
    expect((await promisify(execFile)('bash', ['-c', ask])).stdout).toBe('retry\n--dry-run\n')
    expect((await run(['completion', 'fish'])).lines.join('\n')).toContain("-l dry-run -d 'only counts them, exactly'")
    expect(await run(['completion', 'fissh'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "fish"?'),
    })
  },
)

test.each([
  [['dlq'], 'Usage: posthorn dlq <command>'],
  [['dlq', 'rety'], 'posthorn dlq: unknown command "rety". Did you mean "retry"?'],
  [['dlq', 'retry', '--dryrun'], 'posthorn dlq retry: Unknown option \'--dryrun\'. Did you mean "--dry-run"?'],
  [['deliveries', 'get'], 'posthorn deliveries get: expected <id>, got nothing.'],
  [['deliveries', 'get', 'one', 'two'], 'posthorn deliveries get: expected <id> only, got "two" too.'],
])('%j is a usage error that helps', async (args, wanted) => {
  expect(await run(args)).toMatchObject({ code: 2, lines: [], stderr: expect.stringContaining(wanted) })
})

test('every command explains itself with every option it has', () => {
  const commands = known.flatMap((command) => ('commands' in command ? command.commands : [command]))
  expect(commands.length).toBeGreaterThan(30)
  for (const { help, options } of commands) for (const name of Object.keys(options)) expect(help).toContain(`--${name}`)
})
