// The outbox with `pg`: the business write and its webhook commit together, or neither happens.
import { pathToFileURL } from 'node:url'
import { Pool } from 'pg'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { startCustomer } from './customer.ts'

export async function main(
  url: string,
  schema = 'posthorn',
): Promise<{ invoices: number; webhooks: readonly unknown[] }> {
  const pool = new Pool({ connectionString: url, connectionTimeoutMillis: 10_000 })
  const customer = await startCustomer()
  // In life: `secretsKey`, from `openssl rand -base64 32`; and no private addresses.
  const posthorn = new Posthorn({
    store: postgres(pool, { schema, plaintextSecrets: true }),
    allowedTargets: ['127.0.0.1/32'],
  })
  try {
    await posthorn.start()
    await posthorn.endpoints.create({ application: 'acme', url: customer.url })
    await pool.query(`create table if not exists ${schema}.invoices (id integer primary key)`)

    async function pay(id: number, fails: boolean): Promise<void> {
      const tx = await pool.connect()
      try {
        await tx.query('begin')
        await tx.query(`insert into ${schema}.invoices (id) values ($1)`, [id])
        await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id } }, { tx })
        if (fails) throw new Error('The card was declined.')
        await tx.query('commit')
      } catch (error) {
        await tx.query('rollback')
        throw error
      } finally {
        tx.release()
      }
    }

    await pay(6, true).catch(() => undefined) // Rolled back: nothing is sent.
    await pay(7, false)
    await customer.received(1)
    await posthorn.idle()
    const { rowCount } = await pool.query(`select id from ${schema}.invoices`)
    return { invoices: rowCount ?? 0, webhooks: customer.webhooks }
  } finally {
    await posthorn.stop()
    await customer.stop()
    await pool.end()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(await main(process.argv[2] ?? 'postgres://localhost/postgres'))
