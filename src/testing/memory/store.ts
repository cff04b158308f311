import type { Store } from '../../core/ports.ts'
import { memoryDirectory } from './directory.ts'
import { memoryQueue } from './queue.ts'
import { emptyState } from './state.ts'
import type { State } from './state.ts'

/** A store that forgets everything with its process: for tests, and the model that the databases are held against. */
export function memoryStore(state: State = emptyState()): Store {
  return {
    kind: 'memory',
    queue: memoryQueue(state),
    directory: memoryDirectory(state),
    open: async () => [],
    attach: async (worker) => void state.workers.set(worker.id, { worker, seenAt: worker.startedAt }),
    detach: async (workerId) => void state.workers.delete(workerId),
    beat: async (worker, { now, goneBefore }) => {
      for (const [id, { seenAt }] of state.workers) if (seenAt < goneBefore) state.workers.delete(id)
      return state.workers.set(worker.id, { worker, seenAt: now }).size
    },
    close: async () => {},
  }
}
