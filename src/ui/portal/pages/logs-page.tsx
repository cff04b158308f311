import type { Endpoint, List, PortalAttempt } from '../../api/answers.ts'
import { Segments } from '../../parts/form/segments.tsx'
import { query, setQuery } from '../../state/router.ts'
import { useLoad } from '../../state/use-load.ts'
import { own } from '../api.ts'
import { EndpointChoice } from '../parts/endpoint-choice.tsx'
import { Empty, Pager, Show } from '../parts/loaded.tsx'
import { Page } from '../parts/page.tsx'
import { say } from '../settings.ts'
import { AttemptTable } from './attempt-table.tsx'

const refreshMs = 5_000
const pageSize = 50
// The numbers of the results of attempts in the API.
const results = [
  ['', 'logs.all'],
  ['0', 'logs.succeeded'],
  ['2', 'logs.failed'],
] as const

/** Every attempt at an endpoint, newest first. */
export function Logs() {
  return (
    <Page title={say('logs.title')}>
      <EndpointChoice label={say('logs.endpoint')} none={say('logs.no_endpoints')}>
        {(endpoint) => <Attempts key={endpoint.id} endpoint={endpoint} />}
      </EndpointChoice>
    </Page>
  )
}

function Attempts({ endpoint }: { endpoint: Pick<Endpoint, 'id'> }) {
  const status: string = query.value.get('result') ?? ''
  const loaded = useLoad<List<PortalAttempt>>(
    own(`attempt/endpoint/${endpoint.id}`),
    {
      status,
      iterator: query.value.get('iterator'),
      limit: pageSize,
      with_msg: 'true',
      with_content: 'false',
    },
    refreshMs,
  )
  return (
    <>
      <Segments
        legend={say('logs.result')}
        name="result"
        options={results.map(([value, word]) => [value, say(word)] as const)}
        chosen={status}
        choose={(result) => setQuery({ result, iterator: null })}
      />
      <Show loaded={loaded}>
        {(list) => (
          <>
            {list.data.length === 0 ? (
              <Nothing isFiltered={status !== ''} />
            ) : (
              <AttemptTable attempts={list.data} refresh={loaded.refresh} />
            )}
            <Pager list={list} />
          </>
        )}
      </Show>
    </>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title={say('logs.no_match')} />
  return (
    <Empty title={say('logs.empty')}>
      <p>{say('logs.empty_hint')}</p>
    </Empty>
  )
}
