// Loaded into a server before its own code (--import): says how busy the event loops of its threads were since the last question.
import { isMainThread } from 'node:worker_threads'

if (isMainThread) watch()

function watch() {
  const loops = [{ performance, last: performance.eventLoopUtilization() }]
  process.on('worker', (worker) => loops.push({ performance: worker.performance, last: undefined }))
  process.on('message', () => process.send(loops.map(busy)))
  // A server that has ended must not wait for questions.
  process.channel?.unref()
}

/** The share of the time in which a loop did something. */
function busy(loop) {
  const now = loop.performance.eventLoopUtilization()
  const { utilization } = loop.last === undefined ? now : loop.performance.eventLoopUtilization(now, loop.last)
  loop.last = now
  return utilization
}
