import { useState } from 'preact/hooks'
import type { Endpoint, List } from '../../api/answers.ts'
import { shortUrl } from '../../text/format.ts'
import { Code } from '../../parts/code.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointRow } from './endpoint-row.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { QueryCombobox } from '../../parts/form/combobox.tsx'
import { applicationChoices } from '../search.ts'
import { QueryInput } from '../../parts/form/query-input.tsx'
import { SortHeader, sorted } from '../../parts/table/sort.tsx'
import type { Sort } from '../../parts/table/sort.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Strip } from '../../parts/chart/hour-strip.tsx'
import { Ago } from '../../parts/time.tsx'
import { query } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { endpointCurl } from '../curl-examples.ts'

const refreshMs = 5_000
const pageSize = 50

/** Endpoints with their health, and why. */
export function Endpoints() {
  const given = query.value
  const text = given.get('text') ?? ''
  const application = given.get('application') ?? ''
  const loaded = useLoad<List<Endpoint>>(
    'endpoint',
    { text, application, iterator: given.get('iterator'), limit: pageSize },
    refreshMs,
  )
  const [isAdding, setAdding] = useState(false)
  const add = canWrite() && (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      Add an endpoint
    </button>
  )
  return (
    <Page title="Endpoints" actions={add}>
      <form class="filters" role="search" aria-label="Endpoints" onSubmit={(event) => event.preventDefault()}>
        <div class="line">
          <QueryInput
            name="text"
            label="Text in the URL or description"
            placeholder="Text in the URL or description"
            kind="search"
          />
          <QueryCombobox name="application" label="Application" choices={applicationChoices} kind="line" />
        </div>
      </form>
      <Show loaded={loaded} lines={10}>
        {(list) => (
          <>
            {list.data.length === 0 ? (
              <Nothing isFiltered={text !== '' || application !== ''} />
            ) : (
              <Table endpoints={list.data} />
            )}
            <Pager list={list} />
          </>
        )}
      </Show>
      {isAdding && <EndpointForm onClose={() => setAdding(false)} />}
    </Page>
  )
}

type Column = 'health' | 'endpoint' | 'lastSuccess' | 'backlog'

const healthOrder = ['breaker_open', 'degraded', 'disabled', 'paused', 'healthy']
const columns: Readonly<Record<Column, (endpoint: Endpoint) => string | number>> = {
  health: ({ health }) => healthOrder.indexOf(health.state),
  endpoint: ({ url }) => shortUrl(url),
  lastSuccess: ({ lastSuccessAt }) => (lastSuccessAt === null ? 0 : Date.parse(lastSuccessAt)),
  backlog: ({ backlog }) => backlog,
}

function Table({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const [sort, setSort] = useState<Sort<Column>>({ column: 'health', order: 'ascending' })
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Endpoints of this page, sorted by {sort.column}</caption>
        <thead>
          <tr>
            <SortHeader name="Health" column="health" sort={sort} change={setSort} kind="wide" />
            <SortHeader name="Endpoint and why" column="endpoint" sort={sort} change={setSort} />
            <th scope="col" class="wide">
              Last 24 hours
            </th>
            <SortHeader name="Last success" column="lastSuccess" sort={sort} change={setSort} kind="wide" />
            <SortHeader name="Backlog" column="backlog" sort={sort} change={setSort} kind="number" />
          </tr>
        </thead>
        <tbody>
          {sorted(endpoints, columns[sort.column], sort.order).map((endpoint) => (
            <EndpointRow key={endpoint.id} endpoint={endpoint}>
              <td class="wide">
                <Strip hours={endpoint.hours} />
              </td>
              <td class="wide when">
                <Ago at={endpoint.lastSuccessAt} />
              </td>
            </EndpointRow>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No endpoint matches" />
  return (
    <Empty title="No endpoints yet">
      <p>An endpoint is a URL that receives webhooks. Add one above, or from a terminal:</p>
      <Code label="A command that adds an endpoint" text={endpointCurl()} />
    </Empty>
  )
}
