import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Query } from '../../../api/call.ts'
import type { DeliveryList as Found } from '../../../api/answers.ts'
import { Show } from '../../../parts/loaded.tsx'
import { Icon } from '../../../parts/icons.tsx'
import { Pager } from '../../../parts/table/pager.tsx'
import { query } from '../../../state/router.ts'
import { useLoad } from '../../../state/use-load.ts'
import type { Loaded } from '../../../state/use-load.ts'
import { counted } from '../../../text/format.ts'
import { filterNames } from '../delivery-filters.tsx'
import { DeliveryTable } from '../delivery-table.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { DensityChoice } from './density.tsx'
import { bulkFilter, nothingSelected, open, retriable } from './selection.ts'
import type { Selected } from './selection.ts'

const refreshMs = 2_000
const pageSize = 50

/** The list for the filters in the address, reloaded every few seconds while it is live. */
interface LiveDeliveries {
  readonly loaded: Loaded<Found>
  /** Only those of this endpoint, whatever the address says. */
  readonly endpoint: string | undefined
  readonly isLive: boolean
  readonly setLive: (isLive: boolean) => void
}

export function useDeliveries(endpoint?: string): LiveDeliveries {
  const given = query.value
  const [isLive, setLive] = useState(true)
  // Later pages are not refreshed, because their rows would move while somebody reads them.
  const moves = isLive && !given.has('iterator')
  const loaded = useLoad<Found>('delivery', asked(given, endpoint), moves ? refreshMs : null)
  return { loaded, endpoint, isLive: moves, setLive }
}

export function LiveButton({ deliveries: { isLive, setLive } }: { deliveries: LiveDeliveries }) {
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isLive}
      disabled={query.value.has('iterator')}
      onClick={() => setLive(!isLive)}
    >
      <Icon name={isLive ? 'pause' : 'play'} />
      {isLive ? 'Live' : 'Paused'}
    </button>
  )
}

interface DeliveryListProps {
  readonly caption: string
  readonly deliveries: LiveDeliveries
  /** What is shown if there are none. */
  readonly children: ComponentChildren
}

/** Deliveries, newest first, page by page; the selection is kept from page to page. */
export function DeliveryList({ caption, deliveries: { loaded, endpoint }, children }: DeliveryListProps) {
  const [selected, change] = useState<Selected>(nothingSelected)
  const given = query.value
  useEffect(() => change(nothingSelected), [withoutPage(given)])
  const all = {
    requeue: bulkFilter(given, endpoint, retriable),
    cancel: bulkFilter(given, endpoint, open),
  }
  return (
    <Show loaded={loaded} lines={10}>
      {(list) => (
        <div class="delivery-list">
          {list.searched !== undefined && (
            <p class="note">Payloads of the newest {counted(list.searched, 'matching delivery')} were searched.</p>
          )}
          {list.data.length === 0 ? (
            children
          ) : (
            <>
              <div class="above-rows">
                <BulkBar selected={selected} change={change} all={all} elsewhere={elsewhere(selected, list)} />
                <DensityChoice />
              </div>
              <DeliveryTable
                caption={caption}
                deliveries={list.data}
                isOfOneEndpoint={endpoint !== undefined}
                refresh={loaded.refresh}
                selection={{ selected, change }}
              />
            </>
          )}
          <Pager list={list} />
        </div>
      )}
    </Show>
  )
}

function elsewhere(selected: Selected, { data }: Found): number {
  if (selected.kind === 'all') return 0
  return selected.ids.size - data.filter(({ id }) => selected.ids.has(id)).length
}

function withoutPage(given: URLSearchParams): string {
  const rest = new URLSearchParams(given)
  rest.delete('iterator')
  return rest.toString()
}

function asked(given: URLSearchParams, endpoint: string | undefined): Query {
  const single = Object.fromEntries(
    filterNames.filter((name) => name !== 'status').map((name) => [name, given.get(name)]),
  )
  return {
    ...single,
    ...(endpoint === undefined ? {} : { endpoint }),
    status: given.getAll('status'),
    iterator: given.get('iterator'),
    limit: pageSize,
  }
}
