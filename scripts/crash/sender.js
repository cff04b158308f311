// Sends without end, and says the id of every message that was accepted. As `worker` it also delivers: a SQLite file has one engine.
import { kinds, leaseMs, pause, pollMs } from './run.js'

const [, , dist, databaseUrl, role] = process.argv
const sendsAtOnce = 4
const { Posthorn } = await import(`${dist}/index.js`)
const { databaseAt } = await import(`${dist}/cli/database.js`)

const store = await databaseAt(databaseUrl, { secretsKey: null, plaintextSecrets: true, schema: 'posthorn', prepare: true }).openStore()
const posthorn = new Posthorn({ store, leaseMs, pollMs, allowedTargets: ['127.0.0.0/8'] })
let sending = true
process.on('message', () => (sending = false))
const told = new Promise((resolve) => process.once('SIGTERM', resolve)).then(() => (sending = false))

if (role === 'worker') await posthorn.start()
process.send('ready')
await Promise.all(Array.from({ length: sendsAtOnce }, sendOn))
process.send('done')
if (role === 'worker') await told
await posthorn.stop()
process.disconnect()

async function sendOn() {
  for (let number = 1; sending; number += 1) {
    try {
      const { id } = await posthorn.send({ application: 'acme', type: kinds[number % kinds.length], data: { number } })
      // A pipe is written at once: what was said is said, even if the next instant is the last.
      console.log(id)
    } catch {
      // Not accepted: the database is away, or the answer to its commit was lost.
      await pause(50)
    }
    await pause(10)
  }
}
