// Sends without end, and says "accepted" and the id of every message that was, or "rejected" and the code of the error.
// If it is to deliver, it does so, too: a SQLite file has one engine.
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
// Whoever only sends has nothing else to wait for once it has sent enough.
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
    // The database may be away, or the answer to its commit lost: then it is not accepted, and stored perhaps.
    if ((await sendOne(number)) === null) await pause(50)
    await pause(traffic.pauseMs)
  }
}

/** Answers with the id, or null. */
async function sendOne(number) {
  const isLater = traffic.laterEvery !== null && number % traffic.laterEvery === 0
  const deliverAt = isLater ? Date.now() + leaseMs : undefined
  const id = await trySend({ type: kindOf(number, traffic), data: { number }, deliverAt })
  // A pipe is written at once: what was said is said, even if the next instant is the last.
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
