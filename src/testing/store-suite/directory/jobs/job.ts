import type { Job, JobWork } from '../../../../core/delivery/job.ts'
import type { DeliveryFilter } from '../../../../core/ports/queue.ts'
import { start } from '../../world.ts'
import type { World } from '../../world.ts'

export function aJob(world: World, work: JobWork, change: Partial<Job> = {}): Job {
  return {
    id: world.id('job'),
    applicationId: null,
    work,
    state: 'running',
    matching: 1,
    done: 0,
    skipped: 0,
    cursor: null,
    actor: 'maria',
    reason: 'the receiver is back',
    createdAt: start,
    updatedAt: start,
    ...change,
  }
}

export function begin(world: World, action: 'requeue' | 'cancel', filter: DeliveryFilter): Promise<Job> {
  return world.directory.createJob(aJob(world, { action, filter }))
}
