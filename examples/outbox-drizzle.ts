// The outbox with Drizzle: a few lines make its transaction one that `send` can use.
import { pathToFileURL } from 'node:url'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { integer, pgSchema } from 'drizzle-orm/pg-core'
import { Pool } from 'pg'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { startCustomer } from './customer.ts'

/** The lines: Drizzle takes no text with values, so every `$1` is put back as a value. */
const within = (tx: Pick<NodePgDatabase, 'execute'>) => ({
  query: (text: string, values: unknown[]) =>
    tx.execute(
      sql.join(
        text
          .split(/\$(\d+)/)
          .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
      ),
    ),
})

export async function main(
  url: string,
  schema = 'posthorn',
): Promise<{ invoices: number; webhooks: readonly unknown[] }> {
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 10_000 })
  const db = drizzle(pool)
  const invoices = pgSchema(schema).table('invoices', { id: integer().primaryKey() })
  const customer = await startCustomer()
  // In life: `secretsKey`, from `openssl rand -base64 32`; and no private addresses.
  const posthorn = new Posthorn({
    store: postgres(pool, { schema, plaintextSecrets: true }),
    allowedTargets: ['127.0.0.1/32'],
  })
  try {
    await posthorn.start()
    await posthorn.endpoints.create({ application: 'acme', url: customer.url })
    await db.execute(sql`create table if not exists ${invoices} (id integer primary key)`)

    const pay = (id: number, fails: boolean): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.insert(invoices).values({ id })
        await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id } }, { tx: within(tx) })
        if (fails) throw new Error('The card was declined.')
      })

    await pay(6, true).catch(() => undefined) // Rolled back: nothing is sent.
    await pay(7, false)
    await customer.received(1)
    await posthorn.idle()
    return { invoices: (await db.select().from(invoices)).length, webhooks: customer.webhooks }
  } finally {
    await posthorn.stop()
    await customer.stop()
    await pool.end()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(await main(process.argv[2] ?? 'postgres://localhost/postgres'))
