import { expect, onTestFinished, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import { builtPackage } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'
import type { Program } from '../cli/program.ts'
import { freshSchema } from '../postgres.ts'
import { composeCommands, deployFile } from './deploy-files.ts'

const built = builtPackage()
const adminKey = 'an-admin-key-of-the-test'
const stopSeconds = 45

test(
  'what the compose file starts delivers as plain processes, and each ends within its stop time-out',
  { timeout: 120_000 },
  async () => {
    const { url, schema, drop } = freshSchema()
    const local = await receiver()
    onTestFinished(async () => {
      await local.close()
      await drop()
    })
    const environment = {
      ...composeSettings(),
      POSTHORN_DATABASE_URL: url,
      POSTHORN_SCHEMA: schema,
      POSTHORN_SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'),
      POSTHORN_ADMIN_KEY: adminKey,
      POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
      // Here all share one machine.
      POSTHORN_PORT: '0',
      POSTHORN_METRICS_PORT: '0',
    }
    const { server: serve = [], migrate = [], ...workers } = composeCommands()
    const start = (args: readonly string[]): Program => startProgram(built.path('cli/main.js'), args, environment)

    expect(await start(migrate).ended).toEqual({ code: 0, signal: null })
    const server = start(serve)
    const running = [server, ...Object.values(workers).map((args) => start(args))]
    expect(running).toHaveLength(3)
    const api = (await server.says(/^posthorn listening on /)).replace(/^.* on /, '')
    const own = await Promise.all(
      running.map(async (program) => (await program.says(/^posthorn metrics on /)).replace(/^.* on |\/metrics$/g, '')),
    )
    // As the health check, the probes and Prometheus ask.
    for (const each of own) {
      expect((await fetch(`${each}/readyz`)).status).toBe(200)
      expect((await fetch(`${each}/livez`)).status).toBe(200)
      expect(await (await fetch(`${each}/metrics`)).text()).toContain('posthorn_build_info')
    }

    const post = (path: string, body: object): Promise<Response> =>
      fetch(`${api}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await post('/app', { name: 'Acme', uid: 'acme' })).status).toBe(201)
    expect((await post('/app/acme/endpoint', { url: local.url('/hook') })).status).toBe(201)
    for (let sent = 0; sent < 10; sent += 1)
      expect((await post('/app/acme/msg', { eventType: 'invoice.paid', payload: { sent } })).status).toBe(202)
    const receipts = await local.waitFor(10)
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(10)

    // A stop is a SIGTERM; after the time-out it would be a SIGKILL, and the signal would be there.
    for (const { child } of running) child.kill('SIGTERM')
    const late = setTimeout(() => running.forEach(({ child }) => child.kill('SIGKILL')), stopSeconds * 1_000)
    onTestFinished(() => clearTimeout(late))
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual(running.map(() => ({ code: 0, signal: null })))
  },
)

/** The settings that the compose file gives to all, without what it takes from .env. */
function composeSettings(): Record<string, string> {
  const block = /environment: &environment\n((?: {4}.*\n)+)/.exec(deployFile('docker/compose.yml'))?.[1] ?? ''
  return Object.fromEntries(
    [...block.matchAll(/^ +(POSTHORN_\w+): '([^']*)'$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}
