import { useState } from 'preact/hooks'
import type { Endpoint, List, PortalEndpoint } from '../../api/answers.ts'
import { post } from '../../api/call.ts'
import { QueryInput } from '../../parts/form/query-input.tsx'
import { Url } from '../../parts/url.tsx'
import { go, query } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { own } from '../api.ts'
import { count } from '../format.ts'
import { Empty, Pager, Show } from '../parts/loaded.tsx'
import { Page, Time, portalHref } from '../parts/page.tsx'
import { EndpointStatus } from '../parts/status.tsx'
import { say } from '../settings.ts'
import { EndpointForm } from './endpoint-form.tsx'

const refreshMs = 10_000
const pageSize = 50

/** The customer's endpoints, and how each is doing. */
export function Endpoints() {
  const text = query.value.get('text') ?? ''
  const loaded = useLoad<List<Endpoint>>(
    'endpoint',
    { text, iterator: query.value.get('iterator'), limit: pageSize },
    refreshMs,
  )
  const [isAdding, setAdding] = useState(false)
  const add = canWrite() && (
    <button type="button" class="button primary" onClick={() => setAdding(true)}>
      {say('endpoints.add')}
    </button>
  )
  return (
    <Page title={say('endpoints.title')} actions={add}>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <QueryInput name="text" label={say('endpoints.search')} placeholder={say('endpoints.search')} kind="search" />
      </form>
      <Show loaded={loaded}>
        {(list) => (
          <>
            {list.data.length === 0 ? <Nothing isFiltered={text !== ''} /> : <Table endpoints={list.data} />}
            <Pager list={list} />
          </>
        )}
      </Show>
      {isAdding && (
        <EndpointForm
          title={say('form.add_title')}
          action={say('form.add')}
          submit={(body) => post<PortalEndpoint>(own('endpoint'), body)}
          done={({ id }) => go(`portal/endpoints/${id}`)}
          close={() => setAdding(false)}
        />
      )}
    </Page>
  )
}

function Table({ endpoints }: { endpoints: readonly Endpoint[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">{say('endpoints.title')}</caption>
        <thead>
          <tr>
            <th scope="col" class="wide">
              {say('endpoints.status')}
            </th>
            <th scope="col">{say('endpoints.endpoint')}</th>
            <th scope="col" class="wide">
              {say('endpoints.day')}
            </th>
            <th scope="col">{say('endpoints.last_success')}</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <Row key={endpoint.id} endpoint={endpoint} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ endpoint }: { endpoint: Endpoint }) {
  return (
    <tr>
      <td class="wide">
        <EndpointStatus endpoint={endpoint} />
      </td>
      <td class="main">
        <div class="narrow">
          <EndpointStatus endpoint={endpoint} />
        </div>
        <a href={portalHref(`endpoints/${endpoint.id}`)}>
          <Url url={endpoint.url} />
        </a>
        <div class="under whole">
          {[endpoint.description, endpoint.types?.join(', ') ?? say('common.all_events')]
            .filter((part) => part !== '')
            .join(' · ')}
        </div>
      </td>
      <td class="wide when">{dayText(endpoint)}</td>
      <td class="when">
        <Time at={endpoint.lastSuccessAt} />
      </td>
    </tr>
  )
}

function dayText({ hours }: Endpoint): string {
  const delivered = hours.reduce((sum, hour) => sum + hour.delivered, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed + hour.dead, 0)
  if (delivered + failed === 0) return say('endpoints.day_none')
  return say('endpoints.day_counts', { delivered: count(delivered), failed: count(failed) })
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title={say('endpoints.no_match')} />
  return (
    <Empty title={say('endpoints.empty')}>
      <p>{say('endpoints.empty_hint')}</p>
    </Empty>
  )
}
