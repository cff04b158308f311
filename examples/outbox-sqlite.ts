// The outbox in a SQLite file of your own: the business write and its webhook commit together, or neither happens.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite' // Or the driver that you use already.
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { startCustomer } from './customer.ts'

export async function main(): Promise<{ invoices: number; webhooks: readonly unknown[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-example-'))
  const customer = await startCustomer()
  const open = () => new DatabaseSync(join(folder, 'app.db'))
  const db = open()
  // Posthorn opens a connection of its own, with your driver; and in life it calls no private addresses.
  const posthorn = new Posthorn({ store: sqlite({ open }), allowedTargets: ['127.0.0.1/32'] })
  try {
    await posthorn.start()
    await posthorn.endpoints.create({ application: 'acme', url: customer.url })
    db.exec('create table invoices (id integer primary key)')

    async function pay(id: number, fails: boolean): Promise<void> {
      db.exec('begin immediate')
      try {
        db.prepare('insert into invoices (id) values (?)').run(id)
        // The only thing to wait for between begin and commit: it is done before any other code goes on.
        await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id } }, { tx: db })
        if (fails) throw new Error('The card was declined.')
        db.exec('commit')
      } catch (error) {
        db.exec('rollback')
        throw error
      }
    }

    await pay(6, true).catch(() => undefined) // Rolled back: nothing is sent.
    await pay(7, false)
    await customer.received(1)
    await posthorn.idle()
    return { invoices: db.prepare('select id from invoices').all().length, webhooks: customer.webhooks }
  } finally {
    await posthorn.stop()
    db.close()
    await customer.stop()
    await rm(folder, { recursive: true })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await main())
