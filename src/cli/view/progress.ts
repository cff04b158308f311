import type { Terminal } from '../command.ts'
import type { JobResponse } from '../http-api/responses.ts'
import { sizeOf } from './paint.ts'

/** Shows progress: a bar that redraws itself on a terminal, otherwise a line for every step. */
export interface Progress<Step> {
  show(step: Step): void
  /** A sentence that the bar must not overwrite. */
  note(text: string): void
  end(): void
}

/** The count in words. */
interface ProgressStep {
  readonly done: number
  readonly matching: number
  readonly line: string
}

const barColumns = 30
const verbs: Readonly<Record<JobResponse['action'], string>> = {
  requeue: 'requeued',
  cancel: 'cancelled',
  replay: 'replayed',
  erase: 'erased',
}

/** For a job. */
export function progressOn(terminal: Pick<Terminal, 'messages' | 'say'>): Progress<JobResponse> {
  const { show, ...rest } = stepsOn(terminal)
  return { ...rest, show: (job) => show({ ...job, line: stepLine(job) }) }
}

/** For anything that is counted. */
export function stepsOn({ messages, say }: Pick<Terminal, 'messages' | 'say'>): Progress<ProgressStep> {
  let shown = ''
  function clear(): void {
    if (messages.isTTY && shown !== '') messages.write('\r\x1b[K')
  }
  return {
    show(step) {
      const line = messages.isTTY
        ? `${bar(step)} ${step.line}`.slice(0, Math.max(sizeOf(messages).columns - 1, 20))
        : step.line
      if (line === shown) return
      clear()
      messages.write(messages.isTTY ? line : `${line}\n`)
      shown = line
    },
    note(text) {
      clear()
      shown = ''
      say(text)
    },
    end() {
      clear()
      shown = ''
    },
  }
}

/** `requeued 500 of 1000, 7 skipped, 120 per second, 4 s left` */
export function stepLine(job: JobResponse): string {
  const { action, state, done, matching, skipped, ratePerSecond, etaSeconds } = job
  const skips = skipped === 0 ? '' : `, ${skipped} skipped`
  const rate = state === 'running' && ratePerSecond !== null ? `, ${Math.round(ratePerSecond)} per second` : ''
  const rest = state === 'running' && etaSeconds !== null && done < matching ? `, ${Math.ceil(etaSeconds)} s left` : ''
  return `${verbs[action]} ${done} of ${matching}${state === 'running' || state === 'done' ? '' : `, ${state}`}${skips}${rate}${rest}`
}

function bar({ done, matching }: Pick<ProgressStep, 'done' | 'matching'>): string {
  const filled = matching === 0 ? barColumns : Math.min(barColumns, Math.floor((done / matching) * barColumns))
  return `[${'#'.repeat(filled)}${'-'.repeat(barColumns - filled)}]`
}
