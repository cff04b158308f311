import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { freshSchema, isFast } from '../postgres.ts'
import { actionNames } from './actions/all.ts'
import { runScenario } from './run.ts'
import { readScenario } from './scenario.ts'
import type { Scenario } from './scenario.ts'

const folder = join(import.meta.dirname, 'scenarios')
const scenarios = readdirSync(folder)
  .toSorted()
  .map((file) => ({ file, kept: readScenario(join(folder, file), actionNames) }))

test.each(scenarios)('on SQLite the world of $file keeps every promise', async ({ kept }) => {
  await keepsEveryPromise(sqlite(':memory:', { plaintextSecrets: true }), ofOneProcess(kept))
})

describe.skipIf(isFast)('on PostgreSQL', () => {
  // One schema for all: to make the tables takes longer than most of these worlds.
  let made: ReturnType<typeof freshSchema> | null = null
  afterAll(() => made?.drop())

  test.each(scenarios)('the world of $file keeps every promise', async ({ kept }) => {
    made ??= freshSchema()
    const { url, schema, empty } = made
    const store = postgres(url, { schema, plaintextSecrets: true })
    await store.open()
    await empty()
    await keepsEveryPromise(store, rarelyLooking(kept))
  })
})

/** All invariants judge it as if it were simulated; and as many deliveries come of it. */
async function keepsEveryPromise(store: Store, scenario: Scenario): Promise<void> {
  onTestFinished(() => store.close())
  await store.open()
  const { violations, deliveries } = await runScenario(scenario, { real: store })
  expect(violations).toEqual([])
  expect(deliveries).toBe((await runScenario(scenario)).deliveries)
}

/** From one file one process only may deliver: it does what several do elsewhere, by the one clock that there is. */
function ofOneProcess(scenario: Scenario): Scenario {
  const process = scenario.processes.find(({ role }) => role === 'worker') ?? scenario.processes[0]
  if (process === undefined) return scenario
  const actions = scenario.actions
    .filter((action) => action.do !== 'clock')
    .map((action) => ('process' in action ? { ...action, process: process.id } : action))
  return {
    ...scenario,
    store: { ...scenario.store, kind: 'single', lookMs: null },
    processes: [{ ...process, offsetMs: 0, driftPpm: 0 }],
    actions,
  }
}

/** Looks for what others have committed are most of what a database is asked, and not what is tried here. */
function rarelyLooking(scenario: Scenario): Scenario {
  return { ...scenario, store: { ...scenario.store, lookMs: Math.max(scenario.store.lookMs ?? 0, 5_000) } }
}
