import { Code } from '../../parts/code.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/loaded.tsx'
import { query, setQuery } from '../../state/router.ts'
import { sendCurl } from '../curl-examples.ts'
import { DeliveryFilters, filterNames } from './delivery-filters.tsx'
import { DeliveryList, LiveButton, useDeliveries } from './list/delivery-list.tsx'

/** Deliveries, newest first and live; the filters are in the address. */
export function Deliveries() {
  const deliveries = useDeliveries()
  return (
    <Page title="Deliveries" actions={<LiveButton deliveries={deliveries} />}>
      <DeliveryFilters />
      <DeliveryList caption="Deliveries, newest first" deliveries={deliveries}>
        <Nothing />
      </DeliveryList>
    </Page>
  )
}

function Nothing() {
  if (filterNames.some((name) => query.value.has(name))) return <NoneMatches />
  return (
    <Empty title="No deliveries yet">
      <p>A message makes one delivery for each endpoint that wants it. Send the first:</p>
      <Code label="A command that sends a message" text={sendCurl()} />
    </Empty>
  )
}

export function NoneMatches() {
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
