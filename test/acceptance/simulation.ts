import { Posthorn } from 'posthorn'
import type { Clock, Outcome, Overview, PosthornOptions, Store, Transport } from 'posthorn'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'

/** What is simulated: many endpoints under steady traffic, some of them down for a while, and one that is slow but healthy. */
export interface Simulation {
  readonly store: Store
  readonly settings: Partial<PosthornOptions>
  readonly endpoints: number
  /** The first so many are down during the outage. */
  readonly down: number
  readonly beforeMs: number
  readonly outageMs: number
  readonly afterMs: number
  /** Called every so often in virtual time, with the engine at rest but for what is on the wire. */
  readonly sampleMs: number
  readonly sample: (now: number) => unknown
}

export interface Simulated {
  readonly downIds: readonly string[]
  readonly healthyIds: readonly string[]
  readonly slowId: string
  readonly outageBegan: number
  readonly outageEnded: number
  readonly samples: readonly Overview[]
  /** The last look, an hour back: everything that the run did. */
  readonly last: Overview
}

const stepMs = 500
const longestRunMs = 2 * 3_600_000
/** Healthy endpoints differ in how soon they answer, and the slow one takes longer than the broken release waits. */
const answersAfterMs = [20, 40, 80, 160] as const
const slowAnswersAfterMs = 12_000
const endpointsPerTenant = 10
const slowEveryMs = 30_000

/** Runs it on a virtual clock until no delivery is open, and stops the engine. */
export async function simulate(simulation: Simulation): Promise<Simulated> {
  const clock = manualClock()
  const outageBegan = clock.now() + simulation.beforeMs
  const outageEnded = outageBegan + simulation.outageMs
  const quietFrom = outageEnded + simulation.afterMs
  const isOutage = (): boolean => clock.now() >= outageBegan && clock.now() < outageEnded
  const places = new Map<string, Place>()
  const transport = simulatedTransport(clock, places, isOutage)
  const posthorn = new Posthorn({ random: seededRandom(7), ...simulation.settings, store: simulation.store, clock, transport })

  const ids: string[] = []
  const names = Array.from({ length: simulation.endpoints / endpointsPerTenant }, (_, index) => `tenant-${index}`)
  for (const application of names) {
    for (let index = 0; index < endpointsPerTenant; index += 1) {
      const url = `https://${application}.example/hooks/${index}`
      places.set(url, index === 0 ? 'down' : 'healthy')
      ids.push((await posthorn.endpoints.create({ application, url })).id)
    }
  }

  const samples: Overview[] = []
  async function sampled() {
      if (clock.now() % simulation.sampleMs !== 0) return
      samples.push(await posthorn.overview())
      await simulation.sample(clock.now())
  }

  await posthorn.start()
  const batch = [...names, ...names].map((application) => ({ application, type: 'invoice.paid', payload: '{"id":7}' }))
  while (clock.now() < quietFrom) {
    await posthorn.send(batch)
    await clock.advance(1000)
    await sampled()
  }
  for (let q = (await posthorn.overview()).queue; q.fresh+q.retries > 0; q = (await posthorn.overview()).queue) {
    await clock.advance(5000)
    await sampled()
  }

  const last = await posthorn.overview()
  await posthorn.stop()
  const [slowId = '', ...others] = ids.toReversed()
  const regular = others.toReversed()
  return {
    downIds: regular.slice(0, simulation.down),
    healthyIds: regular.slice(simulation.down),
    slowId,
    outageBegan,
    outageEnded,
    samples,
    last,
  }
}

interface Place {
  readonly answerMs: number
  readonly failsInOutage: boolean
}

const fine: Outcome = { kind: 'answered', statusCode: 200, excerpt: '', retryAfterMs: null }
const refused: Outcome = { kind: 'connect', reason: 'connect ECONNREFUSED' }

/** A network without sockets. All answers of one instant share one timer: half a million timers would be most of the run. */
function simulatedTransport(clock: Clock, places: ReadonlyMap<string, Place>, isOutage: () => boolean): Transport {
  const due = new Map<number, (() => void)[]>()

  function wait(ms: number): Promise<void> {
    const at = clock.now() + ms
    const waiting = due.get(at) ?? []
    due.set(at, waiting)
    if (waiting.length === 0) {
      clock.after(ms, () => {
        due.delete(at)
        for (const go of waiting) go()
      })
    }
    return new Promise((resolve) => waiting.push(resolve))
  }

  return {
    async send({ url, timeoutMs }) {
      if (places.get(url) === 'down' && isOutage()) return refused
      const place = { answerMs: answersAfterMs[(clock.now() / 1000) % 4] ?? 20 }
      await wait(Math.min(place.answerMs, timeoutMs))
      return place.answerMs > timeoutMs ? { kind: 'timeout', reason: `no answer within ${timeoutMs} ms` } : fine
    },
    close: async () => {},
  }
}
