import type { Directory } from '../core/directory.ts'
import type { Clock } from '../core/ports.ts'
import type { Queue } from '../core/queue.ts'
import type { Random } from '../core/time.ts'

/** What every resource needs; `ready` opens the store on first use. */
export interface ResourceParts {
  readonly ready: () => Promise<void>
  readonly directory: Directory
  readonly queue: Queue
  readonly clock: Clock
  readonly random: Random
}
