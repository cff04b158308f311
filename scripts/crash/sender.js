// Sends without end, and prints "accepted" with the id of every accepted message, or "rejected" with the code of the error.
// It also delivers if told to: a SQLite file has one engine.
import { pause } from './processes.js'
import { kindOf, poisonMark } from './traffic.js'

const [, , dist, databaseUrl, settings] = process.argv
const { schema, delivers, sends, leaseMs, pollMs, traffic, thread } = JSON.parse(settings)
const { Posthorn } = await import(`${dist}/index.js`)
const { databaseAt } = await import(`${dist}/cli/database.js`)

const store = await databaseAt(databaseUrl, {
  secretsKey: null,
  plaintextSecrets: true,
  schema,
  prepare: true,
}).openStore()
const posthorn = new Posthorn({ store, thread, leaseMs, pollMs, allowedTargets: ['127.0.0.0/8'] })
let isSending = sends
// A process that only sends has nothing else to wait for once it is done.
process.channel.ref()
process.on('message', ({ kind }) => {
  if (kind === 'enough') isSending = false
  if (kind === 'poison') void sendPoison()
})
const stopped = new Promise((resolve) => process.once('SIGTERM', resolve)).then(() => (isSending = false))

if (delivers) await posthorn.start()
process.send({ kind: 'ready' })
await Promise.all(Array.from({ length: traffic.sendsAtOnce }, sendOn))
process.send({ kind: 'done' })
await stopped
await posthorn.stop()
process.disconnect()

async function sendOn() {
  for (let number = 1; isSending; number += 1) {
    // The database may be away, or the answer to its commit lost: then the message is not accepted, but perhaps stored.
    if ((await sendOne(number)) === null) await pause(50)
    await pause(traffic.pauseMs)
  }
}

/** Returns the id, or null. */
async function sendOne(number) {
  const isLater = traffic.laterEvery !== null && number % traffic.laterEvery === 0
  const deliverAt = isLater ? Date.now() + leaseMs : undefined
  const id = await trySend({ type: kindOf(number, traffic), data: { number }, deliverAt })
  // A pipe is written synchronously: the line is out even if the process ends in the next instant.
  if (id !== null) console.log(`accepted ${id} ${deliverAt ?? 0}`)
  return id
}

async function sendPoison() {
  const id = await trySend({ type: kindOf(1, traffic), data: { poisonMark } })
  console.log(id === null ? 'rejected poison' : `poison ${id}`)
}

async function trySend(message) {
  try {
    const { id } = await posthorn.send({ application: 'acme', ...message })
    return id
  } catch (thrown) {
    console.log(`rejected ${thrown?.code ?? thrown?.name ?? 'unknown'}`)
    return null
  }
}
