import { useEffect, useState } from 'preact/hooks'
import { bulk } from './actions.ts'
import type { BulkFilter } from './actions.ts'
import type { Query } from '../../api/call.ts'
import type { DeliveryList } from '../../api/answers.ts'
import { count, counted } from '../../text/format.ts'
import { Code } from '../../parts/code.tsx'
import { DeliveryFilters, filterNames } from './delivery-filters.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { Empty, Show } from '../../parts/loaded.tsx'
import { location, query, setQuery } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { sendCurl } from '../curl-examples.ts'

const refreshMs = 2_000
const pageSize = 50

/** Deliveries, newest first and live; what is looked for is in the address. */
export function Deliveries() {
  const given = query.value
  const [isLive, setLive] = useState(true)
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  // A page further down stands still, because its rows would slip away under the reader.
  const moves = isLive && !given.has('iterator')
  const loaded = useLoad<DeliveryList>('delivery', asked(given), moves ? refreshMs : null)
  useEffect(() => select(new Set()), [location.value.search])
  return (
    <Page
      title="Deliveries"
      actions={
        <button
          type="button"
          class="button"
          aria-pressed={moves}
          disabled={given.has('iterator')}
          onClick={() => setLive(!isLive)}
        >
          <Icon name={moves ? 'pause' : 'play'} />
          {moves ? 'Live' : 'Paused'}
        </button>
      }
    >
      <DeliveryFilters />
      <Show loaded={loaded} lines={10}>
        {(list) => (
          <>
            {list.searched !== undefined && (
              <p class="note">Payloads of the newest {counted(list.searched, 'matching delivery')} were searched.</p>
            )}
            {list.data.length === 0 ? (
              <Nothing />
            ) : (
              <>
                <BulkBar selected={selected} given={given} />
                <DeliveryTable
                  caption="Deliveries, newest first"
                  deliveries={list.data}
                  refresh={loaded.refresh}
                  selection={{ ids: selected, change: select }}
                />
              </>
            )}
            <Pager list={list} />
          </>
        )}
      </Show>
    </Page>
  )
}

/** What can be done with the rows that are selected, or with all that match. */
function BulkBar({ selected, given }: { selected: ReadonlySet<string>; given: URLSearchParams }) {
  if (!canWrite()) return null
  const retriable = bulkFilter(given, ['failed', 'dead'])
  const open = bulkFilter(given, ['pending', 'failed'])
  if (selected.size > 0) {
    const ids = [...selected]
    return (
      <div class="bulk" role="group" aria-label="Selected deliveries">
        <strong>{count(selected.size)} selected</strong>
        <button type="button" class="button small primary" onClick={() => void bulk('requeue', [{ ids }])}>
          Retry now
        </button>
        <button type="button" class="button small" onClick={() => void bulk('cancel', [{ ids }])}>
          Cancel
        </button>
      </div>
    )
  }
  if (retriable === null && open === null) return null
  return (
    <div class="bulk" role="group" aria-label="All deliveries that match">
      <span class="muted">Select rows with x, or take all that match:</span>
      {retriable !== null && (
        <button type="button" class="button small" onClick={() => void bulk('requeue', [retriable])}>
          Retry all matching …
        </button>
      )}
      {open !== null && (
        <button type="button" class="button small" onClick={() => void bulk('cancel', [open])}>
          Cancel all matching …
        </button>
      )}
    </div>
  )
}

function Nothing() {
  const isFiltered = filterNames.some((name) => query.value.has(name))
  if (isFiltered) {
    return (
      <Empty title="No delivery matches">
        <button
          type="button"
          class="button"
          onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, null])))}
        >
          Clear the filters
        </button>
      </Empty>
    )
  }
  return (
    <Empty title="No deliveries yet">
      <p>A message makes one delivery for each endpoint that wants it. Send the first:</p>
      <Code label="A command that sends a message" text={sendCurl()} />
    </Empty>
  )
}

function asked(given: URLSearchParams): Query {
  const single = Object.fromEntries(
    filterNames.filter((name) => name !== 'status').map((name) => [name, given.get(name)]),
  )
  return { ...single, status: given.getAll('status'), iterator: given.get('iterator'), limit: pageSize }
}

/** The same filter as bulk work takes it, for the statuses it can work on; null where that would be none, or cannot be said. */
function bulkFilter(given: URLSearchParams, statuses: readonly string[]): BulkFilter | null {
  const chosen = given.getAll('status').filter((status) => statuses.includes(status))
  if (chosen.length === 0 || given.has('text') || given.has('id')) return null
  const fields = {
    status: chosen,
    reason: given.get('reason'),
    endpoint: given.get('endpoint'),
    application: given.get('application'),
    eventType: given.get('event_type'),
    message: given.get('message'),
    since: given.get('since'),
    until: given.get('until'),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
