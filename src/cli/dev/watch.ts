import { systemClock } from '../../clock.ts'
import { messageOf } from '../../core/errors.ts'
import { second } from '../../core/time.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { View } from '../view/view.ts'
import { nextSteps } from './next-steps.ts'
import type { SampleRequests } from './sample-requests.ts'
import type { DevSetup } from './setup.ts'

/** How the watching ended: everything is done, not everything was done in time, or a person stopped it. */
export type End = 'complete' | 'late' | 'interrupted'

interface WatchParts {
  readonly setup: DevSetup
  readonly view: View
  /** Null if nobody can request samples. */
  readonly requests: SampleRequests | null
  readonly once: boolean
  readonly signal: AbortSignal
}

/** Sends the samples, if there are any, and waits until they have ended, or a person stops it. */
export async function watch({ setup: { posthorn, samples }, view, requests, once, signal }: WatchParts): Promise<End> {
  const interruption = interrupted(signal)
  if (samples === null) return once ? Promise.race([firstCycle(posthorn), interruption]) : interruption

  const ends = countEnds(posthorn)
  await samples.sendAll()
  const complete = ends.reach(samples.accepted)
  if (once) return inTime(samples.longestMs, [complete, interruption])

  const sendOneMore = (name: string): void =>
    void samples.send(name).catch((error: unknown) => view.note(messageOf(error)))
  const stopReading = requests?.read(sendOneMore, view.note)
  const first = await Promise.race([complete, interruption])
  if (first === 'complete') {
    view.note(nextSteps)
    const stopSending = sendNowAndThen(sendOneMore)
    await interruption
    stopSending()
  }
  stopReading?.()
  return 'interrupted'
}

const betweenSamplesMs = 3 * second
const mostSamples = 200

/** Another sample now and then, for ten minutes: somebody who opens the dashboard late still sees deliveries arrive. */
function sendNowAndThen(send: (name: string) => void): () => void {
  let sent = 0
  let disarm = systemClock.after(betweenSamplesMs, next)
  function next(): void {
    send(sent % 5 === 4 ? 'flaky' : 'ok')
    sent += 1
    if (sent < mostSamples) disarm = systemClock.after(betweenSamplesMs, next)
  }
  return () => disarm()
}

/** Everything that was due at the start has been attempted. */
async function firstCycle(posthorn: Posthorn): Promise<'complete'> {
  await posthorn.idle()
  return 'complete'
}

/** Counts ended deliveries, so that a number of them can be awaited. */
function countEnds(posthorn: Posthorn): { reach(wanted: number): Promise<'complete'> } {
  const waiters: { readonly wanted: number; resolve(end: 'complete'): void }[] = []
  let count = 0
  function countOne(): void {
    count += 1
    for (const { wanted, resolve } of waiters) if (count >= wanted) resolve('complete')
  }
  posthorn.on('delivery.delivered', countOne)
  posthorn.on('delivery.dead', countOne)
  return {
    async reach(wanted) {
      return count >= wanted ? 'complete' : new Promise((resolve) => waiters.push({ wanted, resolve }))
    },
  }
}

function inTime(mostMs: number, ends: readonly Promise<End>[]): Promise<End> {
  return new Promise((resolve, reject) => {
    const disarm = systemClock.after(mostMs, () => resolve('late'))
    void Promise.race(ends).then(resolve, reject).finally(disarm)
  })
}

function interrupted(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('interrupted')
    else signal.addEventListener('abort', () => resolve('interrupted'), { once: true })
  })
}
