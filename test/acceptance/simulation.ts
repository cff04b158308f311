import { Posthorn } from 'posthorn'
import type { Clock, Outcome, Overview, PosthornOptions, Store, Transport } from 'posthorn'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { isFast } from '../postgres.ts'

/** Steady traffic to many endpoints, a tenth of which is down for a while, and to one that is slow but healthy. */
export interface Simulation {
  readonly store: Store
  readonly settings: Partial<PosthornOptions>
  /** Each has ten endpoints, the first of which is down during the outage. */
  readonly tenants: number
  readonly outageMs: number
  /** Called every 40 s of virtual time. */
  readonly sample?: () => Promise<void>
}

export interface Simulated {
  readonly downIds: readonly string[]
  readonly healthyIds: readonly string[]
  readonly slowId: string
  readonly began: number
  readonly outageBegan: number
  readonly outageEnded: number
  /** Of the deliveries to endpoints that were down, those created during the outage, and what came of the slow one's. */
  readonly hit: { readonly created: number; readonly dead: number }
  readonly slow: { readonly created: number; readonly dead: number }
  readonly samples: readonly Overview[]
  readonly holds: readonly EndpointHold[]
  /** The last look goes an hour back: it sees everything that the run did. */
  readonly last: Overview
}

/** From the opening of an endpoint's breaker to its closing, with all probes in between. */
export interface EndpointHold {
  readonly endpointId: string
  readonly began: number
  /** Until when it was held at last: a probe that failed made that later. */
  readonly until: number
  readonly closed: number
}

/** To every endpoint, before, during and after the outage. */
export const messagesPerSecond = isFast ? 1 : 2
/** How long the traffic goes on before the outage and after it; then nothing new comes until everything has ended. */
const calmMs = 60_000
/** What each endpoint gets in the two calm minutes. */
export const calmMessages = (2 * calmMs * messagesPerSecond) / 1_000
/** How soon a healthy endpoint answers: second by second another of these. */
export const answersAfterMs = [20, 40, 80, 160] as const
export const slowAnswersAfterMs = 12_000
/** Rare, because a slow endpoint that is given up on too soon gets one attempt at a time. */
const slowEveryMs = 30_000
const sampleEveryMs = 40_000
const longestRunMs = 2 * 3_600_000

/** Runs it on a virtual clock until no delivery is open, and stops the engine. */
export async function simulate({ store, settings, tenants, outageMs, sample }: Simulation): Promise<Simulated> {
  const clock = manualClock()
  const began = clock.now()
  const outageBegan = began + calmMs
  const outageEnded = outageBegan + outageMs
  const isOutage = (): boolean => clock.now() >= outageBegan && clock.now() < outageEnded
  const posthorn = new Posthorn({
    random: seededRandom(7),
    // They are judged elsewhere; here they would look at a growing database every 15 virtual seconds.
    alarms: false,
    ...settings,
    store,
    clock,
    transport: simulatedNetwork(clock, isOutage),
  })
  const samples: Overview[] = []
  const holds = recordHolds(posthorn)

  async function pass(ms: number): Promise<void> {
    await clock.advance(ms)
    if ((clock.now() - began) % sampleEveryMs !== 0) return
    samples.push(await posthorn.overview())
    await sample?.()
  }

  async function hasOpen(): Promise<boolean> {
    const { queue } = await posthorn.overview()
    return queue.fresh + queue.retries + queue.held > 0
  }

  const names = Array.from({ length: tenants }, (_, index) => `tenant-${index}`)
  const downIds = await makeEndpoints(posthorn, names, ['down'])
  const healthyIds = await makeEndpoints(posthorn, names, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'])
  const [slowId = ''] = await makeEndpoints(posthorn, ['slow'], ['slow'])

  await posthorn.start()
  const toAll = Array.from({ length: messagesPerSecond }, () => names).flat()
  while (clock.now() < outageEnded + calmMs) {
    const slow = (clock.now() - began) % slowEveryMs === 0 ? ['slow'] : []
    await posthorn.send(
      [...toAll, ...slow].map((application) => ({ application, type: 'invoice.paid', payload: '{"id":7}' })),
    )
    await pass(1_000)
  }
  while (await hasOpen()) {
    if (clock.now() > began + longestRunMs) throw new Error('the simulation does not end')
    await pass(20_000)
  }

  const during = { since: outageBegan, until: outageEnded }
  const hit = await countEnds(posthorn, downIds, during)
  const slow = await countEnds(posthorn, [slowId], {})
  const last = await posthorn.overview()
  await posthorn.stop()
  return { downIds, healthyIds, slowId, began, outageBegan, outageEnded, hit, slow, samples, holds, last }
}

function recordHolds(posthorn: Posthorn): EndpointHold[] {
  const holds: EndpointHold[] = []
  const open = new Map<string, Pick<EndpointHold, 'began' | 'until'>>()
  posthorn.on(
    'breaker.opened',
    ({ webhook_id: id, held_until: until, at }) => void open.set(id, { began: open.get(id)?.began ?? at, until }),
  )
  posthorn.on('breaker.closed', ({ webhook_id: endpointId, at: closed }) => {
    const hold = open.get(endpointId)
    if (hold !== undefined) holds.push({ endpointId, ...hold, closed })
    open.delete(endpointId)
  })
  return holds
}

async function makeEndpoints(
  posthorn: Posthorn,
  applications: readonly string[],
  paths: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (const application of applications) {
    for (const path of paths)
      ids.push((await posthorn.endpoints.create({ application, url: `https://${application}.example/${path}` })).id)
  }
  return ids
}

async function countEnds(
  posthorn: Posthorn,
  endpointIds: readonly string[],
  created: { since?: number; until?: number },
): Promise<Simulated['hit']> {
  const counts = { created: 0, dead: 0 }
  for (const endpointId of endpointIds) {
    counts.created += await posthorn.deliveries.count({ endpointId, ...created })
    counts.dead += await posthorn.deliveries.count({ endpointId, ...created, status: 'dead' })
  }
  return counts
}

const fine: Outcome = { kind: 'answered', statusCode: 200, responseBody: '', retryAfterMs: null }
const refused: Outcome = { kind: 'connect', reason: 'connect ECONNREFUSED' }

/** A network without sockets. All answers of one instant share one timer: half a million timers would be most of the run. */
function simulatedNetwork(clock: Clock, isOutage: () => boolean): Transport {
  const due = new Map<number, (() => void)[]>()

  function wait(ms: number): Promise<void> {
    const at = clock.now() + ms
    const waiting = due.get(at) ?? []
    if (waiting.length === 0) {
      due.set(at, waiting)
      clock.after(ms, () => {
        due.delete(at)
        for (const goOn of waiting) goOn()
      })
    }
    return new Promise((resolve) => void waiting.push(resolve))
  }

  return {
    async send({ url, timeoutMs }) {
      if (url.endsWith('/down') && isOutage()) return refused
      const weather = answersAfterMs[Math.floor(clock.now() / 1_000) % answersAfterMs.length] ?? 0
      const answerMs = url.endsWith('/slow') ? slowAnswersAfterMs : weather
      await wait(Math.min(answerMs, timeoutMs))
      return answerMs > timeoutMs ? { kind: 'timeout', reason: `no answer within ${timeoutMs} ms` } : fine
    },
    close: async () => {},
  }
}
