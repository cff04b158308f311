import { systemClock } from '../../clock.ts'
import { PosthornError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { exit } from '../command.ts'
import type { Terminal } from '../command.ts'
import { progressOn, stepLine } from '../view/progress.ts'
import { pathSegment } from './api-client.ts'
import type { ApiClient } from './api-client.ts'
import type { JobResponse } from './responses.ts'

const pollMs = 250
/** How long a server may be unreachable, as during a restart. */
const mostAwayMs = 60_000

interface WatchOptions {
  readonly terminal: Terminal
  readonly json: boolean
  readonly clock?: Clock
}

/** Follows a job to its end, even past a restart of the server. The job itself continues without anybody watching. */
export async function watchJob(
  client: ApiClient,
  first: JobResponse,
  { terminal, json, clock = systemClock }: WatchOptions,
): Promise<number> {
  const progress = progressOn(terminal)
  const { interrupted } = terminal
  let job = first
  let awaySince: number | null = null
  progress.show(job)
  while (job.state === 'running' && !interrupted.aborted) {
    const read = await readJob(client, job.id)
    if (read instanceof PosthornError) {
      if (awaySince === null)
        progress.note(`${client.where} does not answer; asking again for ${mostAwayMs / 1_000} s.`)
      awaySince ??= clock.now()
      if (clock.now() - awaySince > mostAwayMs) throw awayForTooLong(read, job.id)
    } else {
      if (awaySince !== null) progress.note(`${client.where} answers again.`)
      awaySince = null
      job = read
      progress.show(job)
    }
    if (job.state === 'running') await pause(clock, interrupted)
  }
  progress.end()
  return report(job, terminal, json)
}

/** The job after its next batch, or why the server could not be reached. */
async function readJob(client: ApiClient, id: string): Promise<JobResponse | PosthornError> {
  try {
    await client.advance(id)
    return await client.request<JobResponse>('GET', `/job/${pathSegment(id)}`)
  } catch (thrown) {
    if (isAway(thrown)) return thrown
    throw thrown
  }
}

function report(job: JobResponse, { output, say }: Terminal, json: boolean): number {
  const { id, state, done, matching } = job
  const hasEnded = state === 'done' || state === 'cancelled'
  if (json) output.write(`${JSON.stringify(job)}\n`)
  else if (hasEnded) output.write(`${stepLine(job)}\n`)
  // More messages may have been erased than were counted.
  const isWhole = job.action === 'erase' ? done >= matching : done === matching
  if (hasEnded) return state === 'done' && isWhole ? exit.ok : exit.partial
  if (state === 'paused') {
    say(`Job ${id} is paused at ${done} of ${matching}. Go on: posthorn jobs resume ${id}`)
    return exit.partial
  }
  say(
    `Job ${id} continues without this command, wherever a worker runs. Watch it: posthorn jobs watch ${id}\nCancel it: posthorn jobs cancel ${id}`,
  )
  return exit.interrupted
}

function isAway(thrown: unknown): thrown is PosthornError {
  return thrown instanceof PosthornError && thrown.code === 'unreachable'
}

function awayForTooLong(cause: PosthornError, id: string): PosthornError {
  return new PosthornError(
    'unreachable',
    `${cause.message} Job ${id} is stored, and continues when it is back: posthorn jobs watch ${id}`,
    { cause },
  )
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      disarm()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const disarm = clock.after(pollMs, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
