import { systemClock } from '../../clock.ts'
import { messageOf } from '../../core/errors.ts'
import { second } from '../../core/time.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { View } from '../view/view.ts'
import { nextSteps } from './next-steps.ts'
import type { Requests } from './sample-requests.ts'
import type { Stage } from './setup.ts'

/** How the watching ended: all is done, not all was done in time, or a person had seen enough. */
export type End = 'complete' | 'late' | 'interrupted'

/** Sends the samples, if there are any, and waits for their end, or for a person's. */
export async function watch(stage: Stage, view: View, requests: Requests | null, once: boolean, signal: AbortSignal): Promise<End> {
  const { posthorn, samples } = stage
  const interruption = interrupted(signal)
  if (samples === null) return once ? Promise.race([firstCycle(posthorn), interruption]) : interruption

  const ended = endings(posthorn)
  await samples.sendAll()
  const all = ended.reach(samples.accepted)
  if (once) return inTime(samples.longestMs, [all, interruption])

  const sendOneMore = (name: string): void => void samples.send(name).catch((error: unknown) => view.note(messageOf(error)))
  const stopListening = requests?.listen(sendOneMore, view.note)
  const first = await Promise.race([all, interruption])
  if (first === 'complete') {
    view.note(nextSteps)
    const stopTrickling = trickle(sendOneMore)
    await interruption
    stopTrickling()
  }
  stopListening?.()
  return 'interrupted'
}

const trickleMs = 3 * second
const mostTrickled = 200

/** One more sample now and then, for ten minutes: whoever opens the dashboard late still sees deliveries arrive. */
function trickle(send: (name: string) => void): () => void {
  let sent = 0
  let disarm = systemClock.after(trickleMs, next)
  function next(): void {
    send(sent % 5 === 4 ? 'flaky' : 'ok')
    sent += 1
    if (sent < mostTrickled) disarm = systemClock.after(trickleMs, next)
  }
  return () => disarm()
}

/** Whatever was due at the start has been attempted. */
async function firstCycle(posthorn: Posthorn): Promise<'complete'> {
  await posthorn.idle()
  return 'complete'
}

/** Counts what ends, so that a number of endings can be waited for. */
function endings(posthorn: Posthorn): { reach(wanted: number): Promise<'complete'> } {
  const waiters: { readonly wanted: number; resolve(end: 'complete'): void }[] = []
  let count = 0
  function hear(): void {
    count += 1
    for (const { wanted, resolve } of waiters) if (count >= wanted) resolve('complete')
  }
  posthorn.on('delivery.delivered', hear)
  posthorn.on('delivery.dead', hear)
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
