// The client's process, as whoever measures a server uses it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { data } from '../common.js'

export const key = 'a-key-for-the-bench-only'

/** Starts the client; `run` asks for messages to be taken and resolves with how many were. */
export async function startClient() {
  const child = fork(new URL('./client.js', import.meta.url))
  await once(child, 'message')
  const ended = once(child, 'exit').then(endedEarly)
  // Nobody may be waiting when it is stopped.
  ended.catch(() => undefined)
  return {
    async run(order) {
      child.send(order)
      const [result] = await Promise.race([once(child, 'message'), ended])
      if (result.refused > 0) throw new Error(`Expected every message to be taken, but ${result.refused} were refused.`)
      return result
    },
    stop: () => child.kill(),
  }
}

/** A message for each application, as it goes over the wire; with a place for the time of sending, if it is to be measured. */
export function messagesFor(applications, port, { isStamped = false } = {}) {
  const payload = isStamped ? { sentAtNs: '#'.repeat(20), ...data } : data
  const body = JSON.stringify({ eventType: 'invoice.paid', payload })
  return applications.map((application) =>
    [
      `POST /api/v1/app/${application}/msg HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
}

function endedEarly([code]) {
  throw new Error(`Expected the client to report its figures, but it ended with ${code}.`)
}
