import { post, problemOf } from '../../api/call.ts'
import type { Job as Work } from '../../api/answers.ts'
import { count, counted, duration, percent } from '../../text/format.ts'
import { Id } from '../../parts/code.tsx'
import { ask } from '../../parts/dialog.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Details, Page, Panel } from '../../parts/page.tsx'
import { Show } from '../../parts/loaded.tsx'
import { JobProgressState } from '../../parts/status.tsx'
import { Ago, Prose } from '../../parts/time.tsx'
import { href } from '../../state/router.ts'
import { notify } from '../../state/notices.ts'
import { canWrite } from '../../state/session.ts'
import { filterLabel, jobActions } from '../../text/labels.ts'

const refreshMs = 1_000

/** One job: its progress and speed, and how to stop it. */
export function Job({ id }: { id: string }) {
  const loaded = useLoad<Work>(`job/${encodeURIComponent(id)}`, {}, refreshMs)
  const job = loaded.value
  return (
    <Page
      title={job === null ? 'Job' : `${jobActions[job.action]}: ${counted(job.matching, nouns[job.action])}`}
      above={<a href={href('jobs')}>Jobs</a>}
      actions={job !== null && canWrite() && <Actions job={job} refresh={loaded.refresh} />}
    >
      <Show loaded={loaded} lines={4}>
        {(work) => (
          <>
            <div class="why">
              <JobProgressState job={work} />
              <p>{sentenceOf(work)}</p>
            </div>
            <progress
              aria-label="Progress"
              value={work.matching === 0 || work.state === 'done' ? Math.max(1, work.matching) : work.done}
              max={Math.max(1, work.matching)}
            />
            <Panel title="Details">
              <Details details={detailsOf(work)} />
            </Panel>
          </>
        )}
      </Show>
    </Page>
  )
}

/** What a job counts, and what it does with it. */
const nouns: Readonly<Record<Work['action'], string>> = {
  requeue: 'delivery',
  cancel: 'delivery',
  replay: 'delivery',
  erase: 'message',
}
const verbs: Readonly<Record<Work['action'], string>> = {
  requeue: 'queued again',
  cancel: 'cancelled',
  replay: 'created',
  erase: 'erased',
}

const ending = {
  title: 'Cancel this job?',
  sentence: 'What it has done stays done; the rest is left as it is.',
  action: 'Cancel the job',
  leave: 'Keep it running',
  isDangerous: true,
}

function Actions({ job, refresh }: { job: Work; refresh: () => void }) {
  async function change(verb: 'pause' | 'resume' | 'cancel', said: string): Promise<void> {
    if (verb === 'cancel' && (await ask(ending)) === null) return
    const answer = await post(`job/${job.id}/${verb}`)
    if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
    notify('good', said)
    refresh()
  }
  if (job.state === 'done' || job.state === 'cancelled') return null
  return (
    <>
      {job.state === 'running' ? (
        <button type="button" class="button" onClick={() => void change('pause', 'Paused.')}>
          Pause
        </button>
      ) : (
        <button type="button" class="button primary" onClick={() => void change('resume', 'Resumed.')}>
          Resume
        </button>
      )}
      <button type="button" class="button danger" onClick={() => void change('cancel', 'Cancelled.')}>
        Cancel
      </button>
    </>
  )
}

function sentenceOf({ action, state, done, matching, skipped, ratePerSecond, etaSeconds }: Work): string {
  const soFar = `${count(done)} of ${counted(matching, nouns[action])} ${verbs[action]}`
  const passedOver = skipped === 0 ? '' : `, ${count(skipped)} skipped`
  switch (state) {
    case 'running': {
      const rate = ratePerSecond === null ? '' : ` at ${count(Math.round(ratePerSecond))} per second`
      const rest = etaSeconds === null ? '' : `; about ${duration(Math.max(1, etaSeconds) * 1_000)} left`
      return `${soFar}${passedOver}${rate}${rest}.`
    }
    case 'paused':
      return `${soFar}${passedOver}; it waits until somebody resumes it.`
    case 'done':
      if (matching === 0) return `Nothing matched, so nothing was ${verbs[action]}.`
      return `Finished: ${soFar}${passedOver}${done + skipped < matching ? '; the others had changed meanwhile' : ''}.`
    case 'cancelled':
      return `Cancelled after ${soFar}${passedOver}; the rest was left as it is.`
  }
}

function detailsOf(job: Work): [string, preact.ComponentChildren][] {
  const details: [string, preact.ComponentChildren | null][] = [
    ['Action', jobActions[job.action]],
    ['Filter', <Prose text={filterLabel(job.filter)} />],
    ['Progress', job.matching === 0 ? '100 %' : percent(job.done / job.matching)],
    ['Started by', job.actor],
    ['Reason', job.reason],
    ['Created', <Ago at={job.createdAt} />],
    ['Last change', <Ago at={job.updatedAt} />],
    ['Job', <Id id={job.id} />],
  ]
  return details.filter(([, value]) => value !== null)
}
