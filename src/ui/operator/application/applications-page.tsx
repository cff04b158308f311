import type { ApplicationOverview, List } from '../../api/answers.ts'
import { Strip } from '../../parts/chart/hour-strip.tsx'
import { Code } from '../../parts/code.tsx'
import { QueryInput } from '../../parts/form/query-input.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { State } from '../../parts/status.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { href, query } from '../../state/router.ts'
import { useLoad } from '../../state/use-load.ts'
import { count } from '../../text/format.ts'
import { endpointCurl } from '../curl-examples.ts'
import { customerName, healthState, lastDay } from './application-health.ts'

const refreshMs = 5_000
const pageSize = 50

/** Customers: the health, traffic and backlog of each. */
export function Applications() {
  const text = query.value.get('text') ?? ''
  const loaded = useLoad<List<ApplicationOverview>>(
    'application',
    { text, iterator: query.value.get('iterator'), limit: pageSize },
    refreshMs,
  )
  return (
    <Page title="Applications">
      <form class="filters" role="search" aria-label="Applications" onSubmit={(event) => event.preventDefault()}>
        <div class="line">
          <QueryInput name="text" label="Name, uid or id" placeholder="Name, uid or id" kind="search" />
        </div>
      </form>
      <Show loaded={loaded} lines={10}>
        {(list) => (
          <>
            {list.data.length === 0 ? <Nothing isFiltered={text !== ''} /> : <Table applications={list.data} />}
            <Pager list={list} />
          </>
        )}
      </Show>
    </Page>
  )
}

function Table({ applications }: { applications: readonly ApplicationOverview[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Applications, newest first</caption>
        <thead>
          <tr>
            <th scope="col" class="wide">
              Health
            </th>
            <th scope="col">Application</th>
            <th scope="col" class="number wide">
              Endpoints
            </th>
            <th scope="col" class="wide">
              Last 24 hours
            </th>
            <th scope="col" class="number wide">
              Delivered
            </th>
            <th scope="col" class="number">
              Backlog
            </th>
          </tr>
        </thead>
        <tbody>
          {applications.map((application) => (
            <Row key={application.id} application={application} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ application }: { application: ApplicationOverview }) {
  const { id, uid, endpoints, hours, backlog, backlogAtLeast, partial } = application
  const health = <State {...healthState(application)} />
  return (
    <tr data-row tabIndex={-1}>
      <td class="wide">{health}</td>
      <td class="main">
        <div class="narrow">{health}</div>
        <a href={href(`applications/${id}`)}>{customerName(application)}</a>
        <div class="under">{uid ?? id}</div>
      </td>
      <td class="number wide">{count(endpoints)}</td>
      <td class="wide">
        <Strip hours={hours} />
      </td>
      <td class="number wide">{count(lastDay(application).delivered, partial)}</td>
      <td class={backlog === 0 ? 'number muted' : 'number'}>{count(backlog, backlogAtLeast || partial)}</td>
    </tr>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No application matches" />
  return (
    <Empty title="No applications yet">
      <p>
        An application is one of your customers: it has endpoints, and messages are sent to it. The first use of a name
        creates one:
      </p>
      <Code label="A command that adds an endpoint for a customer" text={endpointCurl()} />
    </Empty>
  )
}
