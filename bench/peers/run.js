// What a team would build instead: a job queue, and a job that signs and posts. One of them, in a process of its own:
//   node run.js pg-boss|graphile-worker|bullmq URL PORT
import { createHmac } from 'node:crypto'
import { data } from '../common.js'

const [name, url, port] = process.argv.slice(2)
const open = 500
const warmUpMs = 3_000
const runMs = 6_000
const secret = 'a secret of thirty-two characters'

const { start } = await import(`./${name}.js`)
let delivered = 0
let running = true
const queue = await start(url, deliver)
for (let count = 0; count < open; count += 1) send()
await pause(warmUpMs)
const [before, startedAt] = [delivered, performance.now()]
await pause(runMs)
process.send({ perSecond: ((delivered - before) * 1_000) / (performance.now() - startedAt) })
running = false
await queue.stop()
process.disconnect()

/** As fast as it is delivered: so many under way at any time. */
function send() {
  queue.send({ type: 'invoice.paid', data }).catch(fail)
}

/** The job: throws on anything but a 2xx, as the queues want it for a retry. */
async function deliver(job) {
  const body = JSON.stringify(job)
  const timestamp = Math.floor(Date.now() / 1_000)
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('base64')
  const response = await fetch(`http://127.0.0.1:${port}/hook`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    },
  })
  await response.text()
  if (!response.ok) throw new Error(`The endpoint answered ${response.status}.`)
  delivered += 1
  if (running) setImmediate(send)
}

function fail(error) {
  console.error(error)
  process.exit(1)
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
