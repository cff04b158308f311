// The outbox with Kysely: one line makes its transaction one that `send` can use.
import { pathToFileURL } from 'node:url'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import type { Transaction } from 'kysely'
import { Pool } from 'pg'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { startCustomer } from './customer.ts'

interface Tables {
  invoices: { id: number }
}

/** The line. */
const within = (trx: Transaction<Tables>) => ({
  query: (text: string, values: unknown[]) => trx.executeQuery(CompiledQuery.raw(text, values)),
})

export async function main(
  url: string,
  schema = 'posthorn',
): Promise<{ invoices: number; webhooks: readonly unknown[] }> {
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 10_000 })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema(schema)
  const customer = await startCustomer()
  // In life: `secretsKey`, from `openssl rand -base64 32`; and no private addresses.
  const posthorn = new Posthorn({
    store: postgres(pool, { schema, plaintextSecrets: true }),
    allowedTargets: ['127.0.0.1/32'],
  })
  try {
    await posthorn.start()
    await posthorn.endpoints.create({ application: 'acme', url: customer.url })
    await db.schema
      .createTable('invoices')
      .ifNotExists()
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .execute()

    const pay = (id: number, fails: boolean): Promise<void> =>
      db.transaction().execute(async (trx) => {
        await trx.insertInto('invoices').values({ id }).execute()
        await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id } }, { tx: within(trx) })
        if (fails) throw new Error('The card was declined.')
      })

    await pay(6, true).catch(() => undefined) // Rolled back: nothing is sent.
    await pay(7, false)
    await customer.received(1)
    await posthorn.idle()
    const invoices = await db.selectFrom('invoices').select('id').execute()
    return { invoices: invoices.length, webhooks: customer.webhooks }
  } finally {
    await posthorn.stop()
    await customer.stop()
    await pool.end()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(await main(process.argv[2] ?? 'postgres://localhost/postgres'))
