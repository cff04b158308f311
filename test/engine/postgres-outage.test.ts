import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { receiver } from '../../src/testing/receiver.ts'
import { freshSchema } from '../postgres.ts'
import type { TestSchema } from '../postgres.ts'
import { proxyTo } from '../stores/postgres-proxy.ts'
import type { Proxy } from '../stores/postgres-proxy.ts'

// A whole engine on real time, whose wire to the database fails in the middle of its work.

const messages = 300
const timeoutMs = 500
/** What is leased when the wire fails waits for its lease; then there is the poll. The time limit of each test is fifteen seconds more. */
const leaseMs = 2_000

interface Outage {
  readonly name: string
  begin(proxy: Proxy, schema: TestSchema): Promise<unknown> | void
}

const outages: readonly Outage[] = [
  { name: 'is cut without a word', begin: (proxy) => proxy.blackHole() },
  { name: 'is reset', begin: (proxy) => proxy.reset() },
  { name: 'answers later than the deadline', begin: (proxy) => proxy.slowDown(2 * timeoutMs) },
  { name: 'swallows the answers to marks', begin: (proxy) => proxy.swallowAnswersTo('attempts') },
  { name: 'loses its backends', begin: (_, schema) => terminateBackends(schema) },
]

test.each(outages)(
  'a database whose wire $name loses nothing, and delivery goes on within fifteen seconds',
  { timeout: 60_000 },
  async ({ begin }) => {
    const schema = freshSchema()
    onTestFinished(schema.drop)
    const proxy = await proxyTo(schema.url)
    onTestFinished(() => proxy.close())
    const hook = await receiver({ behaviour: { kind: 'slow', afterMs: 5 } })
    onTestFinished(() => hook.close())
    const direct = new Posthorn({
      store: postgres(schema.url, { schema: schema.schema, plaintextSecrets: true }),
      allowedTargets: ['127.0.0.0/8'],
    })
    onTestFinished(() => direct.stop())
    await direct.endpoints.create({ application: 'acme', url: hook.url('/hook') })
    const worker = new Posthorn({
      store: postgres(proxy.url, { schema: schema.schema, plaintextSecrets: true, timeoutMs }),
      allowedTargets: ['127.0.0.0/8'],
      leaseMs,
      pollMs: 200,
    })
    onTestFinished(() => worker.stop({ graceMs: 0 }))
    const troubled = new Promise((resolve) => worker.on('warning', resolve))
    await worker.start()

    await send(direct, messages)
    await hook.waitFor(messages / 3)
    await begin(proxy, schema)
    // Told of, or over before anybody noticed: a pool replaces connections that end while they are idle.
    await Promise.race([troubled, hook.waitFor(messages)])
    proxy.heal()

    const bound = AbortSignal.timeout(leaseMs + 15_000)
    await Promise.race([
      allDelivered(schema),
      new Promise((_, reject) =>
        bound.addEventListener('abort', () => reject(new Error('Delivery was not resumed in time.'))),
      ),
    ])
    expect(new Set(hook.receipts.map(({ id }) => id)).size).toBe(messages)
  },
)

async function send(posthorn: Posthorn, count: number): Promise<void> {
  await posthorn.send(
    Array.from({ length: count }, (_, number) => ({ application: 'acme', type: 'invoice.paid', data: { number } })),
  )
}

/** Looks into the database, again and again, until nothing is open. */
async function allDelivered({ query }: TestSchema): Promise<void> {
  while ((await query(`select 1 from webhook_deliveries where status <> 'delivered' limit 1`)).length > 0);
}

/** Those of this test only: others use the same server. */
function terminateBackends({ schema, query }: TestSchema): Promise<unknown> {
  return query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'posthorn' and query like $1`,
    [`%"${schema}"%`],
  )
}
