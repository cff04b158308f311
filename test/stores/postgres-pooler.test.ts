import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { systemClock } from '../../src/clock.ts'
import { freshSchema } from '../postgres.ts'

// What pgbouncer in transaction mode cannot carry: whatever belongs to a connection, because each transaction gets another one.

test.each([
  { prepare: false, leavesStatements: false },
  { prepare: true, leavesStatements: true },
])(
  'with prepare: $prepare a whole life leaves nothing on its connection but, if wanted, its statements',
  async ({ prepare, leavesStatements }) => {
    const schema = freshSchema()
    onTestFinished(schema.drop)
    const asked: string[] = []
    const pool = new Pool({ connectionString: schema.url, max: 1, connectionTimeoutMillis: 10_000 })
    pool.on('connect', (client) => {
      const { query } = client
      client.query = ((...given: Parameters<typeof query>) => {
        asked.push(JSON.stringify(given[0]))
        return query.apply(client, given)
      }) as typeof query
    })
    onTestFinished(() => pool.end())
    const transport = scriptedTransport(systemClock)
    const posthorn = new Posthorn({
      store: postgres(pool, { schema: schema.schema, plaintextSecrets: true, prepare }),
      transport,
      pollMs: 50,
      leaseMs: 300,
    })
    onTestFinished(() => posthorn.stop())
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hook' })
    await posthorn.start()
    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {}, idempotencyKey: 'once' })
    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {}, deliverAt: new Date(Date.now() + 100) })
    await transport.sent(2)
    await posthorn.idle()
    await posthorn.cancel({})

    const { rows: statements } = await pool.query(`select name from pg_prepared_statements where name like 'posthorn%'`)
    expect(statements.length > 0).toBe(leavesStatements)
    const { rows: locks } = await pool.query(
      `select locktype from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    )
    expect(locks).toEqual([])
    const { rows: channels } = await pool.query('select pg_listening_channels()')
    expect(channels).toEqual([])
    // Nothing is set for longer than a transaction, either.
    expect(
      asked.filter((statement) => /"(set (?!local)|listen|prepare|select pg_advisory_lock)/i.test(statement)),
    ).toEqual([])
  },
)
