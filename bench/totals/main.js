// What the limits of a whole process cost and save, for a few values of each beside the default: requests open at once, and retries per
// tick. A healthy endpoint gets 200 messages per second meanwhile.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { percentile, print, startReceiver, whole } from '../common.js'

const openRequests = [1_000, 2_500, 5_000, 10_000]
const retriesPerTick = [1_000, 5_000, 10_000, 40_000]

export async function totals() {
  for (const most of openRequests) {
    const { rssMb, open, latenciesMs } = await run('open', most)
    print(`${whole(open)} requests open`, `${rssMb.toFixed(0)} MB`, healthy(latenciesMs))
  }
  for (const most of retriesPerTick) {
    const { retries, seconds, latenciesMs } = await run('retries', most)
    print(
      `${whole(retries)} retries, ${whole(most)} per tick`,
      `${seconds.toFixed(0)} s`,
      `until the last is delivered; ${healthy(latenciesMs)}`,
    )
  }
}

function healthy(latenciesMs) {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latenciesMs, share).toFixed(1))
  return `a healthy endpoint p50 ${p50}, p99 ${p99} ms`
}

/** One value, in processes of its own: `bad` is the receiver of those that hang or fail, `good` that of the healthy endpoint. */
async function run(kind, most) {
  const [bad, good] = [await startReceiver(), await startReceiver()]
  const child = fork(new URL('./run.js', import.meta.url), [kind, String(most), String(bad.port), String(good.port)])
  try {
    for (;;) {
      const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(endedEarly)])
      if (message === 'hold' || message === 'fail' || message === 'release') bad[message]()
      else if (message === 'begin') await good.report()
      else return { ...message, open: (await bad.report()).held, latenciesMs: (await good.report()).latenciesMs }
      child.send('done')
    }
  } finally {
    child.kill()
    bad.stop()
    good.stop()
  }
}

function endedEarly([code]) {
  throw new Error(`Expected the run to report its figures, but it ended with ${code}.`)
}
