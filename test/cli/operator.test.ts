import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { healthy } from '../../src/core/endpoint/health.ts'
import { isFast } from '../postgres.ts'
import { builtPackage } from './built.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'
import { run } from './run.ts'
import { serveHere } from './serve-here.ts'
import { shop } from './shop.ts'

const built = builtPackage()
const key = 'an-admin-key-of-the-test'

type Environment = Readonly<Record<string, string>>

function posthorn(args: readonly string[], environment: Environment): Program {
  return startProgram(built.path('cli/main.js'), args, environment)
}

/** A server that may be killed. */
async function serve(
  environment: Environment,
  ...args: string[]
): Promise<{ server: Program; url: string; remote: Environment }> {
  const server = posthorn(['serve', ...args], { ...environment, POSTHORN_ADMIN_KEY: key })
  const url = (await server.says(/^posthorn listening on /)).replace(/^.* on /, '')
  return { server, url, remote: { POSTHORN_SERVER: url, POSTHORN_KEY: key } }
}

/** A server in this process; answers with the environment of those who ask it. */
async function served(environment: Environment, ...args: string[]): Promise<Environment> {
  return { POSTHORN_SERVER: await serveHere({ ...environment, POSTHORN_ADMIN_KEY: key }, ...args), POSTHORN_KEY: key }
}

describe.each(isFast ? (['sqlite', 'server'] as const) : (['sqlite', 'postgres', 'server'] as const))(
  'the commands of operators on %s',
  (where) => {
    const database = where === 'server' ? 'sqlite' : where

    test(
      'make an endpoint, send to it, and say in one sentence why the delivery waits',
      { timeout: 60_000 },
      async () => {
        const { environment, endpointId, store } = await shop(database)
        const here = where === 'server' ? await served(environment, '--no-worker') : environment
        const made = await run(
          ['endpoints', 'create', 'http://127.0.0.1:9/other', '--application', 'globex', '--type', 'order.*', '--json'],
          here,
        )
        expect(made).toMatchObject({ code: 0, stderr: '' })
        const endpoint = JSON.parse(made.lines[0] ?? '') as { id: string; secret: string }
        expect(endpoint).toMatchObject({ id: expect.stringMatching(/^ep_/), secret: expect.stringMatching(/^whsec_/) })

        const sent = await run(
          [
            'send',
            'order.made',
            '--application',
            'globex',
            '--data',
            '{"big": 12345678901234567890}',
            '--session-id',
            'till 7',
          ],
          here,
        )
        expect(sent).toEqual({ code: 0, lines: [expect.stringMatching(/^msg_/)], stderr: '' })
        expect(Buffer.from((await store.directory.message(sent.lines[0] ?? ''))?.body ?? []).toString()).toBe(
          '{"big": 12345678901234567890}',
        )

        const listed = await run(['deliveries', 'ls', '--message', sent.lines[0] ?? '', '--json'], here)
        const [delivery] = (JSON.parse(listed.lines[0] ?? '') as { data: { id: string }[] }).data
        expect(delivery).toMatchObject({ sessionId: 'till 7' })
        const now = Date.now()
        await store.queue.saveHealth(endpoint.id, { ...healthy, failures: 10, heldUntil: now + 60_000, holds: 1 })
        const held = await run(['deliveries', 'get', delivery?.id ?? ''], here)
        expect(held.code).toBe(0)
        expect(held.lines).toContainEqual(
          expect.stringMatching(
            /^why +On hold because the breaker of its endpoint is open until .*; this uses up no attempts\.$/,
          ),
        )

        expect(await run(['endpoints', 'resume', endpointId], here)).toEqual({
          code: 0,
          lines: [`${endpointId} is active`],
          stderr: '',
        })
        const till = await run(['endpoints', 'get', 'till', '--application', 'acme'], here)
        expect(till).toMatchObject({
          code: 0,
          stderr: '',
          lines: expect.arrayContaining([expect.stringMatching(/^url +http:\/\/127\.0\.0\.1:9\/hooks$/)]),
        })
        expect((await run(['endpoints', 'ls'], here)).lines).toHaveLength(3)
      },
    )

    test('count dead letters exactly, retry them all, and discard what is left', { timeout: 60_000 }, async () => {
      const { environment, deadLetters, store } = await shop(database)
      const [first = ''] = await deadLetters(20)
      const here = where === 'server' ? await served(environment) : environment
      expect(await run(['dlq', 'retry', '--all', '--dry-run', '--json'], here)).toEqual({
        code: 0,
        lines: ['{"matching":20}'],
        stderr: '',
      })
      expect(await store.directory.countDeliveries({ status: 'dead' }, 100)).toBe(20)

      expect((await run(['dlq', 'discard', first], here)).lines).toEqual(['cancelled 1 of 1'])
      const retried = await run(['dlq', 'retry', '--reason', 'cancelled'], here)
      expect(retried).toMatchObject({ code: 0, lines: ['requeued 20 of 20'] })
      expect(retried.stderr).toContain(' of 20')
      expect(await store.directory.countDeliveries({ status: 'pending' }, 100)).toBe(20)
      expect(await run(['dlq', 'retry', '--all'], here)).toMatchObject({ code: 0, lines: ['requeued 0 of 0'] })
      expect((await run(['jobs', 'ls', '--json'], here)).lines[0]).toContain('"state":"done"')
    })
  },
)

test('what cannot be done is refused by saying what was expected', { timeout: 60_000 }, async () => {
  const { environment, send } = await shop()
  const [id = ''] = await send(1)
  const here = await served(environment, '--no-worker')
  expect(await run(['deliveries', 'get', 'dlv_0000000000000000000'], here)).toMatchObject({
    code: 3,
    lines: [],
    stderr: expect.stringMatching(/^posthorn: Expected `delivery` to be the id of a delivery that exists/),
  })
  expect(await run(['deliveries', 'get', 'ep_1m7h6vm1k1esmzhgxpr'], here)).toMatchObject({ code: 2, lines: [] })
  expect(await run(['send', 'order.made', '--application', 'nobody', '--data', '{}'], here)).toMatchObject({
    code: 3,
    lines: [],
  })
  expect(await run(['dlq', 'retry'], here)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('or --all; got nothing'),
  })
  expect(await run(['dlq', 'retry', '--since', 'whenever'], here)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Expected `--since` to be a time'),
  })
  expect(await run(['deliveries', 'cancel', id, '--reason', 'a test'], here)).toMatchObject({
    code: 0,
    lines: [`cancelled ${id}`],
  })
  expect(await run(['deliveries', 'cancel', id], here)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('which is dead'),
  })
  const both = await run(['deliveries', 'retry', 'dlv_0000000000000000000', id], here)
  expect(both).toMatchObject({
    code: 3,
    lines: [`requeued ${id}`],
    stderr: expect.stringContaining('posthorn: dlv_0000000000000000000: Expected'),
  })
  expect(await run(['deliveries', 'retry', id, '--json'], here)).toMatchObject({
    code: 0,
    lines: [expect.stringContaining('"status":"pending"')],
  })
})

test(
  'a thousand dead letters are requeued although the server is killed in the middle and started again',
  { timeout: 120_000 },
  async () => {
    const { environment, deadLetters, store, posthorn: library } = await shop()
    await deadLetters(1_000)
    const { server, url, remote } = await serve(environment, '--no-worker')
    expect((await run(['dlq', 'retry', '--all', '--dry-run', '--json'], remote)).lines).toEqual(['{"matching":1000}'])

    const retry = posthorn(['dlq', 'retry', '--all'], remote)
    await retry.says(/^requeued 0 of 1000/)
    const [job] = await library.jobs.list()
    await store.directory.advanceJob(job?.id ?? '', 300, library.now())
    await retry.says(/^requeued 300 of 1000/)
    server.child.kill('SIGKILL')
    await retry.says(/ does not answer; asking again/)
    await serve({ ...environment, POSTHORN_PORT: new URL(url).port })
    await retry.says(/ answers again\.$/)
    expect(await retry.ended).toEqual({ code: 0, signal: null })
    expect(retry.lines).toEqual(['requeued 1000 of 1000'])
    expect(await store.directory.countDeliveries({ status: 'pending' }, 10_000)).toBe(1_000)
  },
)

test('Ctrl-C in the middle of a bulk retry ends the watching, and says how to go on', { timeout: 60_000 }, async () => {
  const { environment, deadLetters, posthorn: library } = await shop()
  await deadLetters(3)
  const remote = await served(environment, '--no-worker')
  const retry = posthorn(['dlq', 'retry', '--all'], remote)
  await retry.says(/^requeued 0 of 3/)
  retry.child.kill('SIGINT')
  expect(await retry.ended).toEqual({ code: 130, signal: null })
  const [job] = await library.jobs.list()
  expect(job?.state).toBe('running')
  expect(retry.stderr).toContain(`posthorn jobs watch ${job?.id}`)
  expect(retry.stderr).toContain(`posthorn jobs cancel ${job?.id}`)

  expect(await run(['jobs', 'pause', job?.id ?? ''], remote)).toMatchObject({ code: 0 })
  expect(await run(['jobs', 'watch', job?.id ?? ''], remote)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('is paused at 0 of 3'),
  })
  expect(await run(['jobs', 'cancel', job?.id ?? ''], remote)).toMatchObject({ code: 0 })
  expect(await run(['jobs', 'resume', job?.id ?? ''], remote)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is cancelled'),
  })
})

test('a server that is not there, and a key that it does not know, are clear errors', { timeout: 60_000 }, async () => {
  const { environment, folder } = await shop()
  const { server, url, remote } = await serve(environment, '--no-worker')
  const wrong = join(folder, 'wrong-key')
  writeFileSync(wrong, 'not-the-key-of-the-server\n')
  const refused = await run(['jobs', 'ls', '--key-file', wrong], remote)
  expect(refused).toMatchObject({
    code: 1,
    lines: [],
    stderr: `posthorn: Expected a key that ${url} knows. Give it by POSTHORN_KEY, POSTHORN_KEY_FILE or --key-file.\n`,
  })
  server.child.kill('SIGKILL')
  await server.ended
  const gone = await run(['jobs', 'ls'], remote)
  expect(gone).toMatchObject({
    code: 1,
    lines: [],
    stderr: expect.stringMatching(
      new RegExp(`^posthorn: Expected ${url} to answer, but it does not: .*ECONNREFUSED.*\n$`),
    ),
  })
})

test('tail shows live what a server does, as lines of JSON', { timeout: 60_000 }, async () => {
  const { environment } = await shop()
  const remote = await served(environment, '--no-worker')
  const tail = posthorn(['tail', '--json', '--type', 'message.enqueued'], remote)
  await tail.says(/^Watching http/)
  await run(['send', 'invoice.paid', '--application', 'acme', '--data', '{}'], remote)
  expect(JSON.parse(await tail.says(/^\{/))).toMatchObject({ type: 'message.enqueued', event_type: 'invoice.paid' })
  tail.child.kill('SIGINT')
  expect(await tail.ended).toEqual({ code: 0, signal: null })
})

test('whoever reads only the first lines ends a command quietly', { timeout: 60_000 }, async () => {
  const { environment, send } = await shop()
  await send(250)
  const program = posthorn(['deliveries', 'ls', '--limit', '250'], environment)
  program.child.stdout.destroy()
  await once(program.child, 'exit')
  expect(program.child.exitCode).toBe(0)
  expect(program.stderr).toBe('')
})
