import { parseArgs } from 'node:util'
import { clock } from './modes/clock.js'
import { disk } from './modes/disk.js'
import { kills } from './modes/kills.js'
import { loop } from './modes/loop.js'
import { partition } from './modes/partition.js'
import { poison } from './modes/poison.js'
import { stop } from './modes/stop.js'

const modes = { loop, poison, stop, partition, disk, clock }

/** The options from the command line; anything that makes no sense is named, and ends with 2. */
export function readOptions() {
  const values = parse()
  const store = String(values.store)
  const mode = modeOf(values)
  if (store !== 'sqlite' && store !== 'postgres') refuse(`Expected --store to be sqlite or postgres, got "${store}".`)
  const given = {
    mode,
    store,
    thread: threadOf(values, store),
    dist: values.dist,
    databaseUrl: values.database ?? null,
    workers: workersOf(values, store),
    ...numbersOf(values, mode),
    ...worldOf(mode, store),
  }
  if (given.databaseUrl !== null && !canUseDatabase(given)) {
    refuse(
      'Expected --database only with --store postgres, and without --restarts and --disk: those need a server of their own.',
    )
  }
  const refusal = mode.refusal?.(given) ?? null
  if (refusal !== null) refuse(refusal)
  return given
}

function threadOf({ thread = false }, store) {
  if (thread && store !== 'sqlite')
    refuse('Expected no --thread with --store postgres: its workers do nothing but deliver.')
  return thread
}

function workersOf(values, store) {
  const workers = count(values, 'workers', store === 'sqlite' ? 1 : 2, [1, 20])
  if (store === 'sqlite' && workers !== 1)
    refuse('Expected --workers to be 1: only one process may deliver from a SQLite file.')
  return workers
}

function numbersOf(values, mode) {
  const leaseMs = count(values, 'lease', mode.leaseMs, [500, 60_000])
  return {
    leaseMs,
    pollMs: Math.floor(leaseMs / 10),
    kills: count(values, 'kills', 5, [0, 1_000]),
    restarts: count(values, 'restarts', 0, [0, 100]),
    loop: count(values, 'loop', 1, [1, 1_000]),
    rounds: count(values, 'rounds', mode.rounds ?? 1, [1, 100]),
    seed: count(values, 'seed', Math.floor(Math.random() * 2 ** 32), [0, 2 ** 32]),
    limitMs: count(values, 'limit', 600, [1, 7_200]) * 1_000,
    delayMs: count(values, 'delay', 0, [0, 60_000]),
  }
}

function worldOf(mode, store) {
  return {
    traffic: mode.trafficOn?.(store) ?? mode.traffic,
    isProxied: mode.isProxied ?? false,
    clockShiftsMs: mode.clockShiftsMs ?? [0],
  }
}

function canUseDatabase({ store, mode, restarts }) {
  return store === 'postgres' && restarts === 0 && mode.makeDisk === undefined
}

/** @returns {never} */
export function refuse(message) {
  console.error(message)
  process.exit(2)
}

function parse() {
  const flag = { type: 'boolean' }
  const text = { type: 'string' }
  const options = {
    store: { type: 'string', default: 'sqlite' },
    dist: { type: 'string', default: new URL('../../dist', import.meta.url).pathname },
    database: text,
    workers: text,
    seed: text,
    lease: text,
    limit: text,
    rounds: text,
    delay: text,
    kills: text,
    restarts: text,
    loop: text,
    poison: flag,
    stop: flag,
    partition: flag,
    disk: flag,
    clock: flag,
    thread: flag,
    verbose: flag,
  }
  try {
    return parseArgs({ options }).values
  } catch (thrown) {
    return refuse(`Expected options as at the top of scripts/crash/main.js, got a mistake: ${thrown.message}.`)
  }
}

function modeOf(values) {
  const chosen = Object.keys(modes).filter((name) => values[name] !== undefined)
  if (chosen.length > 1)
    refuse(`Expected one mode, got ${chosen.map((name) => `--${name}`).join(' and ')}. Run them one after the other.`)
  const name = chosen[0] ?? 'kills'
  const foreign = foreignTo(modes[name] ?? kills).find((option) => values[option] !== undefined)
  if (foreign !== undefined)
    refuse(
      `Expected no --${foreign} ${name === 'kills' ? 'without a mode' : `with --${name}`}. It has no meaning there.`,
    )
  return name === 'kills' ? kills : modes[name]
}

/** Options that a mode would ignore; somebody who gives them expects something else. */
function foreignTo(mode) {
  return [
    ...(mode === kills ? [] : ['kills', 'restarts']),
    ...(mode.rounds === undefined ? ['rounds'] : []),
    ...(mode.delayMs === undefined ? ['delay'] : []),
  ]
}

function count(values, name, usual, [least, most]) {
  const text = values[name] ?? String(usual)
  if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
  return refuse(`Expected --${name} to be a whole number from ${least} to ${most}, got "${text}".`)
}
