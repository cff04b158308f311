import type { Store } from '../../core/ports/ports.ts'
import type { Instant } from '../../core/time.ts'
import { noteAlarm } from './directory/alarms.ts'
import { memoryDirectory } from './directory/directory.ts'
import { memoryQueue } from './queue/queue.ts'
import { compareText } from './sorted-list.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'

/** The most waiting endpoints that a worker may report. */
const mostWaits = 100

export interface MemoryOptions {
  /** Like a SQLite file: only one process may deliver, so the leases of unattached workers have ended. Default false. */
  readonly soleProcess?: boolean | undefined
  /** To inspect, or to share. */
  readonly state?: State | undefined
}

/** A store in memory: for tests, and the model that the databases are compared with. */
export function memoryStore({ soleProcess = false, state = emptyState(soleProcess) }: MemoryOptions = {}): Store {
  return {
    kind: 'memory',
    queue: memoryQueue(state),
    directory: memoryDirectory(state),
    open: async () => [],
    attach: async (worker) => {
      if (state.soleProcess && state.attached.size === 0) forgetWorkers(state, worker.startedAt)
      state.attached.add(worker.id)
      state.workers.set(worker.id, { ...worker, seenAt: worker.startedAt, sharesAmong: 0, waits: [] })
    },
    detach: async (workerId) => {
      state.attached.delete(workerId)
      state.workers.delete(workerId)
    },
    beat: async (worker, { now, goneBefore, sharesAmong, waits }) => {
      let gone = 0
      for (const { id, seenAt } of state.workers.values())
        if (seenAt < goneBefore && id !== worker.id && state.workers.delete(id)) gone += 1
      if (gone > 0) noteAlarm(state, { signal: 'worker-lost', count: gone, now })
      state.workers.set(worker.id, { ...worker, seenAt: now, sharesAmong, waits: waits.slice(0, mostWaits) })
      return [...state.workers.values()].toSorted((one, other) => compareText(one.id, other.id))
    },
    close: async () => state.attached.clear(),
  }
}

/** Of a store for one process, its first worker knows that all others are dead. */
function forgetWorkers(state: State, now: Instant): void {
  if (state.workers.size > 0) noteAlarm(state, { signal: 'worker-lost', count: state.workers.size, now })
  state.workers.clear()
}
