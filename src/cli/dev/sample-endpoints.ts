import { second } from '../../core/time.ts'
import type { Behaviour, Receiver } from '../../testing/receiver.ts'

/** How often a sample is sent before it ends dead. */
export const sendsBeforeDead = 4

/** A path of the sample receiver: its behaviour, and how many of the first samples go there. */
interface SampleEndpoint {
  readonly name: string
  readonly sentence: string
  readonly key: string
  readonly behaviour: () => Behaviour
  readonly samples: number
}

/** Twenty samples in total. Those that always fail stay below the ten failures in a row that open the breaker. */
export const sampleEndpoints: readonly SampleEndpoint[] = [
  { name: 'ok', sentence: 'answers 200', key: 'o', behaviour: () => 200, samples: 10 },
  {
    name: 'slow',
    sentence: 'answers after 3 s',
    key: 's',
    behaviour: () => ({ kind: 'slow', afterMs: 3 * second }),
    samples: 2,
  },
  { name: 'flaky', sentence: 'fails twice, then answers 200', key: 'f', behaviour: () => atFirst(2, 503), samples: 3 },
  {
    name: 'hang',
    sentence: 'does not answer at first, then 200',
    key: 'h',
    behaviour: () => atFirst(1, 'hang'),
    samples: 2,
  },
  {
    name: '500',
    sentence: `answers 500 to ${sendsBeforeDead} attempts; retried when dead, 200`,
    key: '5',
    behaviour: () => atFirst(sendsBeforeDead, { status: 500, body: 'made to fail' }),
    samples: 2,
  },
  { name: 'reset', sentence: 'always breaks the connection', key: 'r', behaviour: () => 'reset', samples: 1 },
]

/** Gives each path of the receiver its behaviour. */
export function misbehave(receiver: Receiver): void {
  for (const { name, behaviour } of sampleEndpoints) receiver.behave(`/${name}`, behaviour())
}

/** Fails the first attempts of every message, and answers 200 afterwards. */
function atFirst(times: number, wrong: Behaviour): Behaviour {
  const attempts = new Map<string, number>()
  return ({ id }) => {
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    if (attempt <= times) return wrong
    attempts.delete(id)
    return 200
  }
}
