import { systemClock } from '../../clock.ts'
import { PosthornError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { exit } from '../command.ts'
import type { Terminal } from '../command.ts'
import type { JobAnswer } from './answers.ts'
import { segment } from './operator.ts'
import type { Operator } from './operator.ts'
import { progressOn, stepLine } from '../view/progress.ts'

const lookMs = 250
/** How long a server may be away, as it is while it is started again. */
const patienceMs = 60_000

/** Follows a job to its end, also past a restart of the server. The job itself goes on without whoever watches. */
export async function watchJob(operator: Operator, first: JobAnswer, terminal: Terminal, json: boolean, clock: Clock = systemClock): Promise<number> {
  const progress = progressOn(terminal)
  const { interrupted } = terminal
  let job = first
  let awaySince: number | null = null
  progress.show(job)
  while (job.state === 'running' && !interrupted.aborted) {
    try {
      await operator.advance(job.id)
      job = await operator.ask<JobAnswer>('GET', `/job/${segment(job.id)}`)
      if (awaySince !== null) progress.note(`${operator.where} answers again.`)
      awaySince = null
      progress.show(job)
    } catch (thrown) {
      if (!isAway(thrown)) throw thrown
      if (awaySince === null) progress.note(`${operator.where} does not answer; asking again for ${patienceMs / 1_000} s.`)
      awaySince ??= clock.now()
      if (clock.now() - awaySince > patienceMs) throw gaveUp(thrown, job.id)
    }
    if (job.state === 'running') await pause(clock, interrupted)
  }
  progress.end()
  return report(job, terminal, json)
}

function report(job: JobAnswer, { output, say }: Terminal, json: boolean): number {
  const { id, state, done, matching } = job
  if (json) output.write(`${JSON.stringify(job)}\n`)
  else if (state === 'done' || state === 'cancelled') output.write(`${stepLine(job)}\n`)
  if (state === 'done') return done === matching ? exit.ok : exit.partial
  if (state === 'cancelled') return exit.partial
  if (state === 'paused') {
    say(`Job ${id} is paused at ${done} of ${matching}. Go on: posthorn jobs resume ${id}`)
    return exit.partial
  }
  say(`Job ${id} goes on without this command, wherever a worker runs. Watch it: posthorn jobs watch ${id}\nCancel it: posthorn jobs cancel ${id}`)
  return exit.interrupted
}

function isAway(thrown: unknown): thrown is PosthornError {
  return thrown instanceof PosthornError && thrown.code === 'unreachable'
}

function gaveUp(cause: PosthornError, id: string): PosthornError {
  return new PosthornError('unreachable', `${cause.message} Job ${id} is stored, and goes on when it is back: posthorn jobs watch ${id}`, { cause })
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      disarm()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const disarm = clock.after(lookMs, end)
    signal.addEventListener('abort', end, { once: true })
  })
}
