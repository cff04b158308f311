import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { builtPackage } from './built.ts'
import { temporaryFolder } from './folder.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'
import { run } from './run.ts'
import { linesOf } from './log-lines.ts'

const built = builtPackage()

interface Scene {
  readonly receiver: Receiver
  readonly url: string
  readonly posthorn: Posthorn
  worker(environment?: Readonly<Record<string, string>>): Program
}

/** A file, a receiver, and a Posthorn that only enqueues: the worker process delivers. */
async function makeScene(): Promise<Scene> {
  const file = join(await temporaryFolder(), 'own.db')
  const local = await receiver()
  const posthorn = new Posthorn({ store: sqlite(file, { plaintextSecrets: true }), allowedTargets: ['127.0.0.0/8'] })
  onTestFinished(async () => {
    await posthorn.stop()
    await local.close()
  })
  await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })
  const settings = { POSTHORN_PLAINTEXT_SECRETS: '1', POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8', POSTHORN_POLL_MS: '50' }
  const worker: Scene['worker'] = (environment = {}) =>
    startProgram(built.path('cli/main.js'), ['worker', '--database', `sqlite:${file}`], { ...settings, ...environment })
  return { receiver: local, url: `sqlite:${file}`, posthorn, worker }
}

test('posthorn worker says who it is and where, delivers, ends in order on SIGTERM, and says what it did', async () => {
  const { receiver: local, url, posthorn, worker } = await makeScene()
  const program = worker()
  const ready = await program.says(/^posthorn worker /)
  expect(ready).toMatch(/^posthorn worker \S+ on \S+$/)
  expect(ready.endsWith(` on ${url}`)).toBe(true)

  const { id } = await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { secret: 'in the body' } })
  const [receipt] = await local.waitFor(1)
  expect(receipt?.id).toBe(id)
  program.child.kill('SIGTERM')
  expect(await program.ended).toEqual({ code: 0, signal: null })
  expect(program.lines).toEqual([ready, ready.replace(/ on .*/, ' delivered 1 failed 0 dead 0')])
  expect(linesOf(program.stderr)).toMatchObject([
    { level: 'warn', event: 'warning.secrets_key' },
    { level: 'info', event: 'started', command: 'worker' },
    { level: 'info', event: 'stopping', msg: expect.stringMatching(/^Stopping: /) },
    { level: 'info', event: 'stopped', delivered: 1, failed: 0, dead: 0 },
  ])
})

test('a stop waits for the attempt that is under way, and a second signal does not', async () => {
  const { receiver: local, posthorn, worker } = await makeScene()
  local.behave('/hook', 'hang')
  const program = worker()
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await local.waitFor(1)
  program.child.kill('SIGTERM')
  await program.says(/"event":"stopping"/)
  let hasEnded = false
  const ended = program.ended.finally(() => (hasEnded = true))
  while (!hasEnded) {
    program.child.kill('SIGTERM')
    await new Promise(setImmediate)
  }
  expect(await ended).toEqual({ code: 130, signal: null })
})

test('a stop gives up after POSTHORN_SHUTDOWN_GRACE_MS, and gives the delivery back', async () => {
  const { receiver: local, posthorn, worker } = await makeScene()
  local.behave('/hook', 'hang')
  const program = worker({ POSTHORN_SHUTDOWN_GRACE_MS: '10' })
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await local.waitFor(1)
  program.child.kill('SIGINT')
  expect(await program.ended).toEqual({ code: 0, signal: null })
  const [delivery] = await posthorn.deliveries.list()
  expect(delivery).toMatchObject({ status: 'pending', attemptCount: 0, leaseOwner: null })
})

test('a worker on SQLite never loads the driver of PostgreSQL; one on PostgreSQL says where to get it', async () => {
  // As if `pg` were not installed.
  const refusal = `import Module from 'node:module'
    const load = Module._load
    Module._load = (name, ...rest) => {
      if (name === 'pg') throw new Error("Cannot find module 'pg'")
      return load(name, ...rest)
    }`
  const environment = { NODE_OPTIONS: `--import=${dataUrl(refusal)}` }
  const { worker } = await makeScene()
  const program = worker(environment)
  await program.says(/^posthorn worker /)

  const other = startProgram(built.path('cli/main.js'), ['worker', '--database', 'postgres://me@127.0.0.1:1/db'], {
    ...environment,
    POSTHORN_PLAINTEXT_SECRETS: '1',
  })
  expect(await other.ended).toEqual({ code: 1, signal: null })
  expect(other.stderr).toBe(
    'posthorn: Expected the package `pg`, which talks to PostgreSQL, got "Cannot find module \'pg\'". Install it: npm install pg\n',
  )
})

test.each<[string[], Record<string, string>, string]>([
  [
    ['--database', 'postgres://me:secret@127.0.0.1:1/db'],
    { POSTHORN_PLAINTEXT_SECRETS: '1' },
    'posthorn: Expected PostgreSQL to answer',
  ],
  [['--database', 'postgres://me:secret@127.0.0.1:1/db'], {}, 'posthorn: Expected `secretsKey` to be the key'],
  [['--database', 'mysql://me:secret@host/db'], {}, 'posthorn: Expected `database` to be `sqlite:` and a path'],
])('posthorn worker %j with %j ends with one line that names what is wrong', async (args, environment, wanted) => {
  const { code, lines, stderr } = await run(['worker', ...args], environment)
  expect({ code, lines }).toEqual({ code: 1, lines: [] })
  expect(stderr).toContain(wanted)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(stderr).not.toContain('secret@')
})

function dataUrl(script: string): string {
  return `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`
}
