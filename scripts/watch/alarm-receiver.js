import { once } from 'node:events'
import { createServer } from 'node:http'

/** A server for customers' endpoints, which answer as configured, and for one that gets operational webhooks. */
export async function startAlarmReceiver() {
  const answers = new Map()
  const held = []
  const notices = makeNotices()
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/operations') notices.add(JSON.parse(Buffer.concat(chunks).toString()))
      const answer = answers.get(request.url) ?? 200
      if (answer === 'hold') held.push(response)
      else response.writeHead(answer).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    base: `http://127.0.0.1:${server.address().port}`,
    /** Statuses by path; `hold` keeps requests open. */
    answer: (path, status) => void answers.set(path, status),
    /** Answers the held requests, and holds no more. */
    release(path) {
      answers.set(path, 200)
      for (const response of held.splice(0)) response.writeHead(200).end()
    },
    /** How many requests are held. */
    held: () => held.length,
    notice: notices.first,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function makeNotices() {
  const all = []
  const waiters = new Set()
  return {
    add(notice) {
      all.push(notice)
      for (const look of waiters) look()
    },
    /** Resolves with the first notice of this type and signal; fails if none comes in time. */
    first(type, signal, withinMs = 30_000) {
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer)
          waiters.delete(look)
        }
        const look = () => {
          const found = all.find((one) => one.type === type && one.data.signal === signal)
          if (found === undefined) return
          end()
          resolve(found)
        }
        const timer = setTimeout(() => {
          end()
          const seen = all.map((one) => `${one.type} ${one.data.signal}`).join(', ')
          reject(new Error(`Expected ${type} of ${signal} within ${withinMs} ms, got: ${seen || 'nothing'}.`))
        }, withinMs)
        waiters.add(look)
        look()
      })
    },
  }
}
