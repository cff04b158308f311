// Only the main thread has a channel to the parent: what other threads say goes through it, and so does what they hear.
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const threads = new BroadcastChannel('crash')
// Not a reason to stay alive.
threads.unref()
process.channel?.unref()
if (isMainThread) {
  threads.addEventListener('message', ({ data }) => toParent(data))
  process.on('message', (message) => threads.postMessage(message))
}

export function toParent(message) {
  if (!isMainThread) threads.postMessage(message)
  else if (process.connected) process.send(message)
}

export function fromParent(listener) {
  if (isMainThread) process.on('message', listener)
  else threads.addEventListener('message', ({ data }) => listener(data))
}
