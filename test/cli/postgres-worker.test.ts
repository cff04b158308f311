import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import { freshSchema } from '../postgres.ts'
import type { TestSchema } from '../postgres.ts'
import { builtPackage } from './built.ts'
import { linesOf } from './log-lines.ts'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'

const built = builtPackage()
const messages = 1_000
const leaseMs = 1_500
const pollMs = 100
const hourMs = 3_600_000

interface Scene {
  readonly receiver: Receiver
  readonly query: TestSchema['query']
  /** A worker process that is ready. */
  worker(): Promise<Program>
  /** Enqueues from this process, which delivers nothing itself. */
  send(count: number): Promise<void>
}

async function makeScene(): Promise<Scene> {
  const { url, schema, query, drop } = freshSchema()
  const local = await receiver({ behaviour: { kind: 'slow', afterMs: 20 } })
  const posthorn = new Posthorn({
    store: postgres(url, { schema, plaintextSecrets: true }),
    allowedTargets: ['127.0.0.0/8'],
  })
  // Registered first, so that it runs last: the processes are gone by then.
  onTestFinished(async () => {
    await posthorn.stop()
    await local.close()
    await drop()
  })
  await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })
  const environment = {
    POSTHORN_DATABASE_URL: url,
    POSTHORN_SCHEMA: schema,
    POSTHORN_PLAINTEXT_SECRETS: '1',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_LEASE_MS: String(leaseMs),
    POSTHORN_POLL_MS: String(pollMs),
  }
  return {
    receiver: local,
    query,
    async worker() {
      const program = startProgram(built.path('cli/main.js'), ['worker'], environment)
      await program.says(/^posthorn worker /)
      return program
    },
    async send(count) {
      for (let sent = 0; sent < count; sent += 50) {
        await posthorn.send(
          Array.from({ length: 50 }, (_, index) => ({
            application: 'acme',
            type: 'invoice.paid',
            data: { number: sent + index },
          })),
        )
      }
    },
  }
}

test(
  'of what a third process enqueues each of two workers does its half, and nothing is done twice',
  { timeout: 60_000 },
  async () => {
    const scene = await makeScene()
    const workers = await Promise.all([scene.worker(), scene.worker()])
    // A claim takes up to 160 rows of an endpoint: of fewer messages, one claim more or less would be a tenth.
    const many = 4 * messages
    await scene.send(many)
    await scene.receiver.waitFor(many)
    const shares = await Promise.all(workers.map(async (worker) => (await end(worker)) / many))
    expect(shares.reduce((sum, share) => sum + share)).toBe(1)
    for (const share of shares) {
      expect(share).toBeGreaterThanOrEqual(0.4)
      expect(share).toBeLessThanOrEqual(0.6)
    }
    await expectEachOnce(scene, many)
  },
)

test('a rolling restart repeats nothing and loses nothing', { timeout: 60_000 }, async () => {
  const scene = await makeScene()
  const old = await Promise.all([scene.worker(), scene.worker()])
  const sending = scene.send(messages)
  const next: Program[] = []
  for (const [index, worker] of old.entries()) {
    await scene.receiver.waitFor(100 * (index + 1))
    await end(worker)
    next.push(await scene.worker())
  }
  await sending
  await scene.receiver.waitFor(messages)
  await Promise.all(next.map(end))
  await expectEachOnce(scene, messages)
})

test(
  "a killed worker's deliveries leave again when their lease has run out, and within a poll of it",
  { timeout: 60_000 },
  async () => {
    const scene = await makeScene()
    scene.receiver.behave('/hook', 'hang')
    const killed = await scene.worker()
    await scene.send(50)
    // As many as a new endpoint is sent at once.
    const held = (await scene.receiver.waitFor(5)).map(({ id }) => id)
    const other = await scene.worker()
    killed.child.kill('SIGKILL')
    await killed.ended
    scene.receiver.behave('/hook', { kind: 'slow', afterMs: 1 })
    const leases = await scene.query(
      `select id, lease_until from webhook_deliveries where lease_owner is not null and message_id = any($1)`,
      [held],
    )
    expect(leases.length).toBeGreaterThan(0)

    await scene.receiver.waitFor(50 + held.length)
    await end(other)
    for (const { id, lease_until } of leases) {
      const [interrupted, attempt, ...others] = await scene.query(
        `select started_at, epoch, outcome from attempts where delivery_id = $1 order by epoch`,
        [id],
      )
      expect(others).toEqual([])
      expect(interrupted).toMatchObject({ epoch: 1, outcome: 'interrupted' })
      expect(attempt).toMatchObject({ epoch: 2, outcome: 'answered' })
      const lateMs = Number(attempt?.['started_at']) - Number(lease_until)
      expect(lateMs).toBeGreaterThanOrEqual(0)
      // Its poll, and a second for a busy machine.
      expect(lateMs).toBeLessThanOrEqual(pollMs + 1_000)
    }
  },
)

test(
  'a worker ends in order by itself once a later release has migrated the database',
  { timeout: 60_000 },
  async () => {
    const scene = await makeScene()
    const worker = await scene.worker()
    await scene.query('insert into migrations (version) values (999)')
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    expect(linesOf(worker.stderr)).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        event: 'warning.newer_database',
        msg: expect.stringMatching(/^This worker claims nothing more: /),
      }),
    )
    expect(worker.stderr).toContain('"Stopping: a later release has migrated the database. Start its workers."')
    expect(worker.lines.at(-1)).toMatch(/ delivered 0 failed 0 dead 0$/)
  },
)

test.each([
  { name: 'an hour fast', offMs: hourMs },
  { name: 'an hour slow', offMs: -hourMs },
])(
  'a worker whose clock is $name neither sends early, nor steals a lease, nor lies idle',
  { timeout: 60_000 },
  async ({ offMs }) => {
    const { url, schema, query, drop } = freshSchema()
    const hook = await receiver({ behaviour: { kind: 'slow', afterMs: 1 } })
    const posthorn = new Posthorn({
      store: postgres(url, { schema, plaintextSecrets: true }),
      allowedTargets: ['127.0.0.0/8'],
    })
    onTestFinished(async () => {
      await posthorn.stop()
      await hook.close()
      await drop()
    })
    await posthorn.endpoints.create({ application: 'acme', url: hook.url('/hook') })
    const send = (data: string, deliverAt?: number) =>
      posthorn.send({
        application: 'acme',
        type: 'invoice.paid',
        data,
        ...(deliverAt === undefined ? {} : { deliverAt }),
      })
    const later = await send('later', posthorn.now() + hourMs / 2)
    const held = await send('held')
    await query(
      `update webhook_deliveries set lease_owner = 'another', lease_until = $2, lease_epoch = 1 where message_id = $1`,
      [held.id, posthorn.now() + hourMs / 2],
    )

    const wrongClock = `const now = Date.now; Date.now = () => now() + ${offMs}`
    const worker = startProgram(built.path('cli/main.js'), ['worker'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(wrongClock)}`,
      POSTHORN_DATABASE_URL: url,
      POSTHORN_SCHEMA: schema,
      POSTHORN_PLAINTEXT_SECRETS: '1',
      POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
      POSTHORN_POLL_MS: '50',
    })
    await worker.says(/^posthorn worker /)
    // Several cycles, one after the other: each looks at everything that is due.
    for (const number of [1, 2, 3]) {
      await send(`due ${number}`)
      await hook.waitFor(number)
    }
    worker.child.kill('SIGTERM')
    await worker.ended
    expect(hook.receipts).toHaveLength(3)
    expect(
      await query(
        `select message_id, status, attempt_count, lease_owner, lease_epoch from webhook_deliveries where status <> 'delivered' order by message_id`,
      ),
    ).toEqual([
      { message_id: later.id, status: 'pending', attempt_count: 0, lease_owner: null, lease_epoch: 0 },
      { message_id: held.id, status: 'pending', attempt_count: 0, lease_owner: 'another', lease_epoch: 1 },
    ])
  },
)

/** Ends a worker in order; answers with how many it delivered. */
async function end(worker: Program): Promise<number> {
  worker.child.kill('SIGTERM')
  expect(await worker.ended).toEqual({ code: 0, signal: null })
  const [, delivered, failed, dead] = / delivered (\d+) failed (\d+) dead (\d+)$/.exec(worker.lines.at(-1) ?? '') ?? []
  expect({ failed, dead }).toEqual({ failed: '0', dead: '0' })
  return Number(delivered)
}

/** No delivery was claimed while another worker sent it: one receipt and one attempt each, and none of them late. */
async function expectEachOnce({ receiver: { receipts }, query }: Scene, count: number): Promise<void> {
  expect(receipts).toHaveLength(count)
  expect(new Set(receipts.map(({ id }) => id)).size).toBe(count)
  const [attempts] = await query(
    `select count(*) as attempts, count(distinct delivery_id) as deliveries, sum(late) as late from attempts`,
  )
  expect(attempts).toEqual({ attempts: count, deliveries: count, late: 0 })
  expect(await query(`select status, count(*) as count from webhook_deliveries group by status`)).toEqual([
    { status: 'delivered', count },
  ])
}
