import type { Directory } from '../core/ports/directory.ts'
import type { Clock } from '../core/ports/ports.ts'
import type { Queue } from '../core/ports/queue.ts'
import type { Random } from '../core/time.ts'

/** What every resource depends on; `ready` opens the store on first use. */
export interface ResourceParts {
  readonly ready: () => Promise<void>
  readonly directory: Directory
  readonly queue: Queue
  readonly clock: Clock
  readonly random: Random
}
