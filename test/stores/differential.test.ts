import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { hour } from '../../src/core/time.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { freshSchema, isFast } from '../postgres.ts'
import { ask, beginning, operations } from './operations.ts'
import type { Operation, World } from './operations.ts'

const runs = isFast ? 25 : 100
// Shrinking a failure takes its time, and must end before the test does.
const timeLimitMs = 60_000
const { POSTHORN_TEST_SEED: seed, POSTHORN_TEST_PATH: path } = process.env
const replayed = seed === undefined ? {} : { seed: Number(seed), path: path ?? '' }

interface Candidate {
  readonly name: string
  /** An empty store, opened. */
  make(): Promise<Store>
  done(store: Store): Promise<void>
}

const candidates: Candidate[] = [opened('SQLite', () => sqlite(':memory:', { plaintextSecrets: true }))]
if (!isFast) candidates.push(onPostgres())

test('the databases do what the model does, whatever is asked of them', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(operations, (asked) => compare(asked))
  const details = await fc.check(property, { numRuns: runs, interruptAfterTimeLimit: timeLimitMs, ...replayed })
  const replay = `POSTHORN_TEST_SEED=${details.seed} POSTHORN_TEST_PATH=${details.counterexamplePath ?? ''} npx vitest run test/stores/differential.test.ts`
  if (details.failed)
    throw new Error(`${await fc.asyncDefaultReportMessage(details)}\n\nTo see it again: ${replay}\n`, {
      cause: details.errorInstance,
    })
})

/** Asks the same of the model and of every database, and compares answers and rows after every step. */
async function compare(asked: readonly Operation[]): Promise<void> {
  const model = memoryStore()
  const others = await Promise.all(
    candidates.map(async (candidate) => ({ ...candidate, store: await candidate.make() })),
  )
  try {
    const world = beginning()
    for (const store of [model, ...others.map((other) => other.store)]) await world.settle(store)
    for (const [index, operation] of asked.entries()) {
      const question = ask(operation, world)
      const answer = await question(model)
      world.rows = await model.directory.listDeliveries({}, { limit: 1_000, after: null })
      const state = await stateOf(model, world)
      for (const { name, store } of others) {
        const where = `${name}, step ${index + 1}: ${JSON.stringify(operation)}`
        expect(await question(store), `the answer of ${where}`).toEqual(answer)
        expect(await stateOf(store, world), `the rows of ${where}`).toEqual(state)
      }
    }
    const history = await historyOf(model, world)
    for (const { name, store } of others)
      expect(await historyOf(store, world), `the history of ${name}`).toEqual(history)
  } finally {
    for (const { store, done } of others) await done(store)
  }
}

async function stateOf({ queue, directory }: Store, { now, endpoints }: World): Promise<unknown> {
  return {
    deliveries: await directory.listDeliveries({}, { limit: 1_000, after: null }),
    fresh: await queue.dueEndpoints({ lane: 'fresh', after: '', limit: 10 }),
    retries: await queue.dueEndpoints({ lane: 'retries', after: '', limit: 10 }),
    suspects: await queue.dueEndpoints({ lane: 'suspects', after: '', limit: 10 }),
    endpoints: await directory.endpointsById(endpoints.map(({ id }) => id)),
    health: await queue.health(endpoints.map(({ id }) => id)),
    overview: await directory.overview({ now, windowMs: hour }),
  }
}

async function historyOf({ directory }: Store, { rows }: World): Promise<unknown> {
  const attempts = []
  for (const { id } of rows) attempts.push(await directory.attempts(id))
  const messages = []
  for (const messageId of new Set(rows.map((row) => row.messageId))) {
    const message = await directory.message(messageId)
    messages.push(message === null ? null : { ...message, body: Buffer.from(message.body).toString() })
  }
  // The ids of the audit are each store's own, and those of one instant are in no order.
  const entries = (await directory.audit({}, { limit: 1_000, after: null })).map((entry) =>
    JSON.stringify({ ...entry, id: null }),
  )
  return { attempts, messages, entries: entries.toSorted() }
}

function opened(name: string, make: () => Store): Candidate {
  return {
    name,
    async make() {
      const store = make()
      await store.open()
      return store
    },
    done: (store) => store.close(),
  }
}

/** One store for all runs, emptied before each. */
function onPostgres(): Candidate {
  const schema = freshSchema()
  const store = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
  beforeAll(async () => void (await store.open()))
  afterAll(async () => {
    await store.close()
    await schema.drop()
  })
  return {
    name: 'PostgreSQL',
    async make() {
      await schema.empty()
      return store
    },
    done: async () => {},
  }
}
