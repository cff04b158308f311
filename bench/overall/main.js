// The whole in one run: library and HTTP face on both databases, under full and light load, and what a message costs each process and thread.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { buildAt, commitNamed } from '../against.js'
import { bareDispatch } from '../bare.js'
import { percentile, print, startReceiver, whole } from '../common.js'
import { startPostgres } from '../postgres.js'
import { startClient } from '../wire/load.js'
import { barsOf, barsTable } from './bars.js'
import { charts } from './charts.js'
import { measure, measureOnce } from './measure.js'
import { routeRatio } from './route.js'

const folder = 'docs/benchmarks'

/** With a commit to compare with, both run in turns, and the bars are judged; `all` adds growth and peers. */
export async function overall({ against, runs, seconds, all }) {
  const commit = against === undefined ? null : commitOf(against)
  const before = commit === null ? null : buildAt(commit)
  const machine = await startMachine()
  try {
    const dists = { ...(before !== null && { before: before.dist }), now: resolve('dist') }
    const figures = await measureAll(dists, { runs, seconds, all, commit }, machine)
    report(figures)
    write(figures)
    if (before !== null || all) console.log(barsTable(barsOf(figures)))
  } finally {
    await machine.stop()
    before?.remove()
  }
}

async function measureAll(dists, { runs, seconds, all, commit }, machine) {
  const durations = { runMs: 1_000 * Number(seconds), lightMs: 1_000 * Number(seconds) }
  const bare = await bareDispatch(machine.receiver.port)
  const turns = { before: [], now: [] }
  for (let run = 0; run < (commit === null ? 1 : Number(runs)); run += 1)
    for (const [name, dist] of inTurn(Object.entries(dists), run))
      turns[name].push(await measure(dist, durations, machine))
  const once = await measureOnce(dists.now, durations, machine)
  const route = await routeRatio(dists.now, machine.client)
  return {
    commit: commitNamed('HEAD'),
    against: commit,
    at: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    bare,
    route,
    now: { ...medianOf(turns.now), ...once },
    before: commit === null ? undefined : medianOf(turns.before),
    ...(all && (await growthAndPeers())),
  }
}

function inTurn(sides, run) {
  return run % 2 === 0 ? sides : sides.toReversed()
}

/** Of each number the median of all runs; lists are those of the first. */
function medianOf([first, ...others]) {
  const all = [first, ...others]
  if (typeof first === 'number') return percentile(all, 0.5)
  if (typeof first !== 'object' || Array.isArray(first)) return first
  return Object.fromEntries(Object.keys(first).map((name) => [name, medianOf(all.map((each) => each[name]))]))
}

async function growthAndPeers() {
  const { growth } = await import('../growth.js')
  const { growthOnPostgres } = await import('../postgres-growth.js')
  const { grownThroughput } = await import('../grown.js')
  const { peers } = await import('../peers.js')
  const sqliteMs = Math.max(...(await growth()))
  const postgresMs = Math.max(...(await onPostgres((url) => growthOnPostgres(url, { scale: 1, explained: false }))))
  return { growth: { sqliteMs, postgresMs, fewer: await onPostgres(grownThroughput) }, peers: await peers() }
}

/** On a server of its own, which has grown with nothing else. */
async function onPostgres(work) {
  const server = await startPostgres()
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

function commitOf(name) {
  const commit = commitNamed(name)
  if (commit !== null) return commit
  console.error(`Expected --against to be a commit, got "${name}".`)
  process.exit(2)
}

async function startMachine() {
  const [receiver, client, postgres] = [await startReceiver(), await startClient(), await startPostgres()]
  return {
    receiver,
    client,
    postgres,
    async stop() {
      receiver.stop()
      client.stop()
      await postgres.stop()
    },
  }
}

function report({ bare, route, now, before }) {
  print('bare undici dispatch, signed', `${whole(bare.perSecond)}/s`, `best with ${bare.connections} connections`)
  for (const [name, database] of [
    ['sqlite', 'SQLite'],
    ['postgres', 'PostgreSQL'],
  ]) {
    reportLibrary(`library on ${database}`, now.library[name], before?.library[name], bare)
    reportFace(`HTTP face on ${database}`, now.face[name], before?.face[name])
  }
  print('a worker of its own, at 100/s', latency(now.worker))
  print('memory', `${whole(now.memory.rssMb)} MB`, `with ${whole(now.memory.inFlight)} requests open`)
  print(
    'the route that takes messages',
    `${route.ratio.toFixed(2)} ×`,
    `${whole(route.ownUs)} µs, a bare one ${whole(route.bareUs)} µs`,
  )
}

function reportLibrary(name, run, earlier, bare) {
  print(
    name,
    `${whole(run.perSecond)}/s`,
    `${((100 * run.perSecond) / bare.perSecond).toFixed(1)} % of bare dispatch${than(run, earlier)}`,
  )
  print('  CPU per message', `${whole(run.cpuUs)} µs`, `its event loop was busy for ${percent(run.busy)} of the time`)
  print('  send to receipt at 200/s', latency(run))
}

function reportFace(name, run, earlier) {
  const threads = run.threadsUs.map((us) => whole(us)).join(' + ')
  const database = run.databaseUs > 0 ? `, database ${whole(run.databaseUs)} µs` : ''
  print(name, `${whole(run.perSecond)}/s`, `accepted, stored and delivered${than(run, earlier)}`)
  print(
    '  CPU per message, by thread',
    `${threads} µs`,
    `event loops busy for ${run.busy.map(percent).join(', ')}${database}`,
  )
  print(
    '  client and receiver',
    `${whole(run.clientUs + run.receiverUs)} µs`,
    `a message, ${whole(run.clientUs)} and ${whole(run.receiverUs)}; they should take at most 40`,
  )
  print('  request to receipt at 100/s', latency(run))
}

function than(run, earlier) {
  return earlier === undefined
    ? ''
    : `; ${(run.perSecond / earlier.perSecond).toFixed(2)} × the ${whole(earlier.perSecond)}/s before`
}

function latency({ p50Ms, p99Ms }) {
  return `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)} ms`
}

function percent(share) {
  return `${(100 * share).toFixed(0)} %`
}

function write(figures) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/figures.json`, `${JSON.stringify(figures, null, 2)}\n`)
  for (const [name, picture] of Object.entries(charts(figures))) writeFileSync(`${folder}/${name}`, picture)
}
