import { expect, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import type { Queue } from '../../src/core/ports/queue.ts'
import type { Behave } from './actions/endpoints.ts'
import { runScenario } from './run.ts'
import { scenarioFormat } from './scenario.ts'
import type { Scenario } from './scenario.ts'
import { inOrder } from './world/receivers.ts'
import type { Behaviour } from './world/receivers.ts'

/** Two workers, two endpoints of which one fails at first, and some messages. */
const busy: Scenario = {
  format: scenarioFormat,
  seed: 1,
  store: { kind: 'shared', lookMs: 5_000, latencyMs: 4 },
  settings: { preset: 'standard' },
  lengthMs: 30_000,
  processes: [0, 1].map((id) => ({ id, role: 'worker', offsetMs: 0, driftPpm: 0 })),
  endpoints: [0, 1].map((id) => ({ id, application: 0, policy: 'brisk', ratePerSecond: null })),
  actions: [
    ...[0, 1].map((process) => ({ at: 10, do: 'start', process })),
    behaves(20, { answer: 500, tookMs: [500, 900], share: 1, otherwiseMs: [5, 80], retryAfterMs: null }),
    // Fewer than open its breaker, whose hold would outlast the retries.
    ...[1_000, 3_000, 6_000].map((at) => ({
      at,
      do: 'send',
      process: 0,
      application: 0,
      count: 3,
      name: null,
      delayMs: 0,
      tx: null,
    })),
    behaves(12_000, inOrder),
  ],
}

function behaves(at: number, as: Behaviour): Behave {
  return { at, do: 'behave', endpoint: 1, as }
}

/** A store in which a delivery seems to have died, whoever asks, and each save of an alarm is taken for the first. */
function forgetfulOfAlarms(store: Store): Store {
  const { directory } = store
  return {
    ...store,
    directory: {
      ...directory,
      alarmReadings: async (request) => ({ ...(await directory.alarmReadings(request)), dead: 1 }),
      alarms: async () => [],
      saveAlarms: async (alarms) => {
        const versions = new Map((await directory.alarms()).map(({ id, version }) => [id, version]))
        return directory.saveAlarms(alarms.map((alarm) => ({ ...alarm, version: versions.get(alarm.id) ?? 0 })))
      },
    },
  }
}

/** A store of which one method of the queue does something else. */
function withQueue(change: (queue: Queue) => Partial<Queue>): (store: Store) => Store {
  return (store) => ({ ...store, queue: { ...store.queue, ...change(store.queue) } })
}

test('a store in order breaks no promise', async () => {
  const { violations, deliveries } = await runScenario(busy)
  expect(violations).toEqual([])
  expect(deliveries).toBe(18)
})

test.each([
  [
    'finds nothing that is due',
    'everything ends once all has healed',
    withQueue(() => ({ dueEndpoints: async () => [] })),
  ],
  [
    'forgets the deliveries of a message',
    'what was accepted is stored, with all its deliveries',
    withQueue(({ enqueue }) => ({
      enqueue: (request) =>
        enqueue({
          ...request,
          envelopes: request.envelopes.map((envelope) => ({ ...envelope, deliveries: envelope.deliveries.slice(1) })),
        }),
    })),
  ],
  [
    'hands out what is not due',
    'nothing is sent before it is due',
    withQueue(({ claim, dueEndpoints }) => ({
      claim: (request) => claim({ ...request, now: request.now + 20_000 }),
      dueEndpoints: async (request) => (await dueEndpoints(request)).map((row) => ({ ...row, dueAt: 0 })),
    })),
  ],
  [
    'takes marks for delivered',
    'delivered means that the endpoint answered 2xx',
    withQueue(({ mark }) => ({
      mark: (request) =>
        mark({
          ...request,
          marks: request.marks.map((each) => ({
            ...each,
            mark: { ...each.mark, status: 'delivered', reason: null, nextRetryAt: null },
          })),
        }),
    })),
  ],
  [
    'gives up at the first failure',
    'nothing is given up before it was sent as often as its policy, or five crashes, ask for',
    withQueue(({ mark }) => ({
      mark: (request) =>
        mark({
          ...request,
          marks: request.marks.map((each) =>
            each.mark.status === 'failed'
              ? { ...each, mark: { ...each.mark, status: 'dead', reason: 'exhausted', nextRetryAt: null } }
              : each,
          ),
        }),
    })),
  ],
  ['forgets what alarms it has', 'an alarm is raised once until it is resolved', forgetfulOfAlarms],
  [
    'records no attempts',
    'every request is on record',
    withQueue(({ mark }) => ({
      mark: (request) => mark({ ...request, marks: request.marks.map((each) => ({ ...each, attempt: null })) }),
    })),
  ],
  [
    'records attempts under another epoch',
    'what workers count is on record, once',
    withQueue(({ mark }) => ({
      mark: (request) =>
        mark({
          ...request,
          marks: request.marks.map((each) =>
            each.attempt === null ? each : { ...each, attempt: { ...each.attempt, epoch: each.attempt.epoch + 7 } },
          ),
        }),
    })),
  ],
  [
    'records an attempt twice',
    'what is on record was counted, if nothing came between',
    withQueue(({ mark }) => ({
      mark: async (request) => {
        const twice = request.marks.flatMap((each) =>
          each.attempt === null ? [] : [{ ...each, attempt: { ...each.attempt, epoch: each.attempt.epoch + 7 } }],
        )
        const answers = await mark(request)
        await mark({ ...request, marks: twice })
        return answers
      },
    })),
  ],
])('it is noticed that a store %s', async (_what, promise, tamper) => {
  const { violations } = await runScenario(busy, { tamper })
  expect(violations.map(({ invariant }) => invariant)).toContain(promise)
})
