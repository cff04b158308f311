// What the HTTP client alone can do: the same signed request, nothing stored. The best of several pool sizes.
import { createHmac, createSecretKey } from 'node:crypto'
import { Pool } from 'undici'
import { body, seconds } from './common.js'

const key = createSecretKey(Buffer.alloc(32, 7))
const runMs = 2_500

export async function bareDispatch(port) {
  return bestOf([20, 50, 100], (connections) => measure(port, connections, dispatch))
}

export async function bareRequest(port) {
  return bestOf([20, 50, 100], (connections) => measure(port, connections, request))
}

async function bestOf(sizes, run) {
  let best = { perSecond: 0, connections: 0 }
  for (const connections of sizes) {
    const perSecond = await run(connections)
    if (perSecond > best.perSecond) best = { perSecond, connections }
  }
  return best
}

async function measure(port, connections, send) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 })
  const end = performance.now() + runMs
  let count = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await send(pool)
        count += 1
      }
    }),
  )
  const perSecond = count / seconds(startedAt)
  await pool.close()
  return perSecond
}

function headers() {
  const id = 'msg_0000000000000000000'
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return [
    'content-type',
    'application/json',
    'user-agent',
    'bench',
    'webhook-id',
    id,
    'webhook-timestamp',
    timestamp,
    'webhook-signature',
    `v1,${signature}`,
  ]
}

function dispatch(pool) {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method: 'POST', path: '/hook', headers: headers(), body },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

async function request(pool) {
  const response = await pool.request({ method: 'POST', path: '/hook', headers: headers(), body })
  await response.body.dump()
}
