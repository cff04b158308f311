// One build, once: the library and the HTTP face on both databases.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { percentile } from '../common.js'
import { residentMb } from '../wire/cpu.js'
import { faceRun } from './face.js'

// The last few of 5,000 wait for a share of what is still free.
const heldRequests = 4_950
const mostHeldMs = 20_000

export async function measure(dist, durations, machine) {
  const databases = [
    ['sqlite', 'sqlite'],
    ['postgres', machine.postgres.url],
  ]
  const figures = { library: {}, face: {} }
  for (const [name, database] of databases) {
    figures.library[name] = await libraryRun({ dist, database, ...durations }, machine)
    figures.face[name] = await faceRun({ dist, database, ...durations }, machine)
  }
  return figures
}

/** What is not compared with another commit: a worker of its own, and memory. */
export async function measureOnce(dist, durations, machine) {
  const worker = await faceRun({ dist, database: machine.postgres.url, ...durations, worker: 'apart' }, machine)
  return { worker, memory: await memoryRun(dist, machine) }
}

async function libraryRun({ dist, database, runMs, lightMs }, { receiver }) {
  const args = [dist, database, String(receiver.port), String(runMs), String(lightMs)]
  const child = fork(new URL('./library.js', import.meta.url), args)
  const exited = once(child, 'exit')
  const ended = exited.then(endedEarly)
  // It ends in any case; what matters is whether it does so before its figures.
  ended.catch(() => undefined)
  const [full] = await Promise.race([once(child, 'message'), ended])
  await receiver.report()
  const [light] = await Promise.race([once(child, 'message'), ended])
  const { latenciesMs } = await receiver.report()
  await exited
  return { ...full, ...light, p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) }
}

/** With as many requests open as a process may have. */
async function memoryRun(dist, { receiver }) {
  const child = fork(new URL('./memory.js', import.meta.url), [dist, String(receiver.port)])
  await Promise.race([once(child, 'message'), once(child, 'exit').then(endedEarly)])
  try {
    receiver.hold()
    child.send('go')
    const endsAt = performance.now() + mostHeldMs
    let inFlight = 0
    while (inFlight < heldRequests && performance.now() < endsAt) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      inFlight = (await receiver.report()).held
    }
    return { rssMb: residentMb(child.pid), inFlight }
  } finally {
    receiver.release()
    child.disconnect()
    await once(child, 'exit')
  }
}

function endedEarly([code]) {
  throw new Error(`Expected a run to report its figures, but it ended with ${code}.`)
}
