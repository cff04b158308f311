import type { Overview } from '../../api/answers.ts'
import { now } from '../../state/now.ts'
import { count, duration } from '../../text/format.ts'
import { Counter } from './counter.tsx'

const lateMs = 60_000

/** What waits right now, independent of the range. */
export function Now({ queue }: { queue: Overview['queue'] }) {
  const { fresh, retries, held, dead, atLeast, oldestDueAt } = queue
  const waitsMs = oldestDueAt === null ? 0 : now.value - Date.parse(oldestDueAt)
  return (
    <section class="figures" aria-labelledby="now">
      <h2 id="now">Now</h2>
      <ul class="counters five">
        <Counter
          name="Queued"
          value={count(fresh, atLeast)}
          under="not yet attempted"
          to="deliveries?status=pending"
          tone="idle"
        />
        <Counter
          name="Retrying"
          value={count(retries, atLeast)}
          under="between two attempts"
          to="deliveries?status=failed"
          tone="warning"
        />
        <Counter name="Held" value={count(held, atLeast)} under="by a breaker or a pause" to="endpoints" tone="held" />
        <Counter
          name="Dead letters"
          value={count(dead, atLeast)}
          under="wait for a decision"
          to="dead-letters"
          tone="bad"
        />
        <Counter
          name="Oldest"
          value={waitsMs < 1_000 ? '–' : duration(waitsMs)}
          under={waitsMs < 1_000 ? 'nothing is late' : 'due for so long'}
          tone={waitsMs < lateMs ? 'idle' : 'warning'}
        />
      </ul>
    </section>
  )
}
