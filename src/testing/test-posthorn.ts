import type { Delivery } from '../core/delivery/delivery.ts'
import { PosthornError } from '../core/errors.ts'
import { day } from '../core/time.ts'
import { Posthorn } from '../posthorn.ts'
import type { PosthornOptions } from '../posthorn.ts'
import type { EventSchemas } from '../api/send/checked-message.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'
import { memoryStore } from './memory/store.ts'
import { scriptedTransport } from './scripted-transport.ts'
import type { RecordedRequest, ScriptedTransport } from './scripted-transport.ts'
import { seededRandom } from './seeded-random.ts'

/** A Posthorn for your own tests: nothing leaves the process, and time moves only when you say so. */
export interface TestPosthorn<Events extends EventSchemas = EventSchemas> {
  readonly posthorn: Posthorn<Events>
  readonly clock: ManualClock
  /** Scripts the answers of endpoints; without a script they answer 200. */
  readonly transport: ScriptedTransport
  /** Every request so far, in order. */
  sent(): readonly RecordedRequest[]
  /** Moves time until every delivery has ended, including retries. */
  settled(): Promise<void>
}

const longestLifeMs = 40 * day

/** Creates and starts one; call `posthorn.stop()` when done. */
export async function testPosthorn<Events extends EventSchemas = EventSchemas>(
  options: Partial<PosthornOptions<Events>> = {},
): Promise<TestPosthorn<Events>> {
  const clock = manualClock()
  const transport = scriptedTransport(clock)
  const posthorn = new Posthorn<Events>({ store: memoryStore(), random: seededRandom(1), ...options, clock, transport })
  await posthorn.start()

  async function settled(): Promise<void> {
    const end = clock.now() + longestLifeMs
    while (clock.now() < end) {
      await posthorn.idle()
      const open = await posthorn.deliveries.list({ status: ['pending', 'failed'] }, { limit: 1_000 })
      if (open.length === 0) return
      await refuseStuck(open)
      const nextDueAt = Math.min(...open.map(({ nextRetryAt }) => nextRetryAt ?? 0))
      await clock.advance(Math.max(nextDueAt - clock.now(), 0) + (options.pollMs ?? 5_000))
    }
    throw new PosthornError('invalid_argument', 'Expected every delivery to end, but some still wait after 40 days.')
  }

  /** Deliveries that only a person can release would let time pass for ever. */
  async function refuseStuck(open: readonly Delivery[]): Promise<void> {
    const reasons = await Promise.all(open.map(({ id }) => posthorn.deliveries.why(id)))
    const stuck = reasons.filter(({ code }) => code === 'endpoint_paused' || code === 'endpoint_disabled')
    if (stuck.length < open.length) return
    throw new PosthornError(
      'invalid_argument',
      `Expected every delivery to end, but ${open.length} cannot. ${stuck[0]?.sentence ?? ''} Resume it first.`,
    )
  }

  return { posthorn, clock, transport, sent: () => transport.requests, settled }
}
