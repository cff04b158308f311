// What the route that takes messages costs by itself, beside a bare route of `node:http` that parses the same JSON; in turns.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { percentile } from '../common.js'
import { messagesFor } from '../wire/load.js'

const connections = 64
const applications = ['app-0', 'app-1', 'app-2', 'app-3']
// As many as it takes until the compiler has nothing more to do.
const warmUps = 40_000
const mostWarmUpMs = 8_000
const rounds = 5
const roundMs = 1_000

/** Microseconds of CPU per message of both, and how many times as much ours takes. */
export async function routeRatio(dist, client) {
  const servers = [await start(['bare']), await start(['posthorn', dist])]
  try {
    for (const server of servers) await warmUp(server, client)
    const measured = servers.map(() => [])
    for (let round = 0; round < rounds; round += 1)
      for (const [index, server] of servers.entries()) measured[index].push(await costOf(server, client, roundMs))
    const [bareUs, ownUs] = measured.map((costs) => percentile(costs, 0.5))
    return { bareUs, ownUs, ratio: ownUs / bareUs }
  } finally {
    for (const { child } of servers) child.kill()
  }
}

async function start(args) {
  const child = fork(new URL('../wire/route.js', import.meta.url), args)
  const [{ port }] = await once(child, 'message')
  return { child, port }
}

async function warmUp(server, client) {
  const endsAt = performance.now() + mostWarmUpMs
  for (let count = 0; count < warmUps && performance.now() < endsAt;)
    count += (await client.run({ ...orderFor(server), ms: roundMs })).count
}

async function costOf(server, client, ms) {
  const before = await cpuUs(server)
  const { count } = await client.run({ ...orderFor(server), ms })
  return ((await cpuUs(server)) - before) / count
}

function orderFor({ port }) {
  return { port, requests: messagesFor(applications, port), connections }
}

async function cpuUs({ child }) {
  child.send('cpu')
  const [used] = await once(child, 'message')
  return used.cpuUs
}
