// Only the main thread has a channel to the parent: messages from and to other threads go through it.
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const threads = new BroadcastChannel('crash')
// This does not keep the process alive.
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
