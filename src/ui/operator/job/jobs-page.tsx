import type { Job, List } from '../../api/answers.ts'
import { count } from '../../text/format.ts'
import { useLoad } from '../../state/use-load.ts'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { JobProgressState } from '../../parts/status.tsx'
import { Ago, Prose } from '../../parts/time.tsx'
import { href, query } from '../../state/router.ts'
import { filterLabel, jobActions } from '../../text/labels.ts'

const refreshMs = 2_000
const pageSize = 50

/** Bulk jobs, newest first. */
export function Jobs() {
  const loaded = useLoad<List<Job>>('job', { iterator: query.value.get('iterator'), limit: pageSize }, refreshMs)
  return (
    <Page title="Jobs">
      <Show loaded={loaded}>
        {(list) =>
          list.data.length === 0 ? (
            <Empty title="No jobs yet">
              <p>
                Retrying or cancelling many deliveries is a job: it shows its progress here, and continues after a
                restart. Start one from <a href={href('dead-letters')}>dead letters</a> or{' '}
                <a href={href('deliveries')}>deliveries</a>.
              </p>
            </Empty>
          ) : (
            <>
              <Table jobs={list.data} />
              <Pager list={list} />
            </>
          )
        }
      </Show>
    </Page>
  )
}

function Table({ jobs }: { jobs: readonly Job[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Jobs, newest first</caption>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Action</th>
            <th scope="col" class="number">
              Done
            </th>
            <th scope="col" class="wide">
              By
            </th>
            <th scope="col" aria-sort="descending">
              Created
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id} data-row tabIndex={-1}>
              <td>
                <JobProgressState job={job} />
              </td>
              <td class="main">
                <a href={href(`jobs/${job.id}`)}>{jobActions[job.action]}</a>
                <div class="under whole">
                  <Prose text={filterLabel(job.filter)} />
                </div>
              </td>
              <td class="number">
                {count(job.done)} <span class="muted">of {count(job.matching)}</span>
              </td>
              <td class="wide">{job.actor}</td>
              <td class="when">
                <Ago at={job.createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
