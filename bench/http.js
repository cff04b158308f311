import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { data, percentile, print, scratch, seconds, whole } from './common.js'

const key = 'a-key-for-the-bench-only'
const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
const message = JSON.stringify({ eventType: 'invoice.paid', payload: data })
const connections = 100
const warmUp = 5_000
const rounds = 3

/** Accepting messages over HTTP, held against a bare route that parses and answers the same request; the two in turns. */
export async function acceptOverHttp(scale) {
  const { folder, remove } = scratch()
  const bare = await start([new URL('./bare-server.js', import.meta.url).pathname], {})
  const posthorn = await start(['dist/cli/main.js', 'serve', '--no-worker'], {
    POSTHORN_PORT: '0',
    POSTHORN_DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`,
    POSTHORN_ADMIN_KEY: key,
    POSTHORN_RATE_LIMIT_PER_SECOND: '0',
    POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION: '0',
  })
  try {
    await call(posthorn.pool, '/api/v1/app', JSON.stringify({ name: 'Acme', uid: 'acme' }))
    await call(posthorn.pool, '/api/v1/app/acme/endpoint', JSON.stringify({ url: 'https://acme.example/hooks' }))
    for (const { pool } of [bare, posthorn]) await burst(pool, warmUp)
    const count = Math.round(30_000 * scale)
    const rates = { bare: [], posthorn: [] }
    for (let round = 0; round < rounds; round += 1) {
      rates.bare.push(await burst(bare.pool, count))
      rates.posthorn.push(await burst(posthorn.pool, count))
    }
    const [bareRate, ownRate] = [percentile(rates.bare, 0.5), percentile(rates.posthorn, 0.5)]
    print('bare hono route', `${whole(bareRate)}/s`, 'parses the same request and answers it')
    print(
      'posthorn serve on SQLite',
      `${whole(ownRate)}/s`,
      'key checked, parsed, stored (FULL), one delivery each; 202',
    )
    print('  of the bare route', `${((100 * ownRate) / bareRate).toFixed(1)} %`)
    const latencies = await steady(posthorn.pool, 1_000, 10_000 * scale)
    print('  accepted at 1,000/s, p50', `${percentile(latencies, 0.5).toFixed(2)} ms`)
    print('  accepted at 1,000/s, p99', `${percentile(latencies, 0.99).toFixed(2)} ms`)
    await memoryOver(posthorn, Math.round(1_000_000 * scale))
  } finally {
    await Promise.all([bare.stop(), posthorn.stop()])
    remove()
  }
}

/** Starts a server, and answers once it has said where it listens. */
async function start(args, environment) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^posthorn listening on (http:\S+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    const pool = new Pool(url, { connections })
    return { child, pool, stop: async () => (await pool.destroy(), void child.kill('SIGKILL')) }
  }
  throw new Error(`Expected ${args.join(' ')} to listen, but it ended.`)
}

async function call(pool, path, body) {
  const answer = await pool.request({ method: 'POST', path, headers, body })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`Expected ${path} to be done, got ${answer.statusCode}: ${text}`)
}

const accept = (pool) => call(pool, '/api/v1/app/acme/msg', message)

/** As many as the connections carry; answers with how many per second. */
async function burst(pool, count) {
  const startedAt = performance.now()
  let left = count
  const sender = async () => {
    while (left > 0) {
      left -= 1
      await accept(pool)
    }
  }
  await Promise.all(Array.from({ length: connections }, sender))
  return count / seconds(startedAt)
}

/** A steady stream; answers with how long each took, from when it was due. */
async function steady(pool, perSecond, count) {
  const latencies = []
  const startedAt = performance.now()
  const open = []
  for (let sent = 0; sent < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * perSecond))
    for (; sent < due; sent += 1) {
      const dueAt = startedAt + (1000 * sent) / perSecond
      open.push(accept(pool).then(() => latencies.push(performance.now() - dueAt)))
    }
    await sleep(1)
  }
  await Promise.all(open)
  return latencies
}

async function memoryOver({ child, pool }, count) {
  await burst(pool, Math.round(count / 10))
  const before = residentMb(child.pid)
  await burst(pool, count)
  const after = residentMb(child.pid)
  print(`  memory over ${whole(count)} messages`, `${whole(before)} → ${whole(after)} MB`)
}

function residentMb(pid) {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}
