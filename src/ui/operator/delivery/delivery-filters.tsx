import { query, setQuery } from '../../state/router.ts'
import { statuses } from '../../text/labels.ts'
import type { Status } from '../../../core/delivery/delivery.ts'
import type { DeliveryCounts } from '../../api/answers.ts'
import type { Query } from '../../api/call.ts'
import { useLoad } from '../../state/use-load.ts'
import { Chips } from '../../parts/form/chips.tsx'
import { RangePicker } from '../../parts/form/range.tsx'
import { QueryCombobox } from '../../parts/form/combobox.tsx'
import { applicationChoices, endpointChoices, eventTypeChoices } from '../search.ts'
import { QueryInput } from '../../parts/form/query-input.tsx'

/** All filters of deliveries, by their names in the API. */
export const filterNames = [
  'status',
  'endpoint',
  'event_type',
  'application',
  'message',
  'id',
  'reason',
  'since',
  'until',
  'text',
] as const

const countMs = 5_000

const chosen = [
  ['endpoint', 'Endpoint', endpointChoices],
  ['event_type', 'Event type', eventTypeChoices],
  ['application', 'Application', applicationChoices],
] as const

const texts = [
  ['message', 'Message', 'msg_…'],
  ['id', 'Delivery', 'dlv_…'],
] as const

/** The filter bar: its state is the address, so that a view can be shared and survives a reload. */
export function DeliveryFilters() {
  const more = filterNames.filter(
    (name) => !['status', 'text', 'since', 'until'].includes(name) && query.value.has(name),
  ).length
  return (
    <form class="filters" role="search" aria-label="Deliveries" onSubmit={(event) => event.preventDefault()}>
      <div class="line">
        <QueryInput name="text" label="Text in the payload" placeholder="Text in the payload" kind="search" />
        <StatusChips />
        <RangePicker />
      </div>
      <details open={more > 0}>
        <summary>More filters{more > 0 ? ` (${more})` : ''}</summary>
        <div class="grid">
          {chosen.map(([name, label, choices]) => (
            <QueryCombobox key={name} name={name} label={label} choices={choices} isFree={name === 'event_type'} />
          ))}
          {texts.map(([name, label, hint]) => (
            <QueryInput key={name} name={name} label={label} placeholder={hint} kind="field" />
          ))}
          <Reason />
        </div>
      </details>
    </form>
  )
}

/** With the count of each status; on the page of an endpoint, of that endpoint only. */
export function StatusChips({ endpoint }: { endpoint?: string }) {
  const asked = endpoint === undefined ? countedBy(query.value) : { ...countedBy(query.value), endpoint }
  const counts = useLoad<DeliveryCounts>('delivery-count', asked, countMs)
  const countOf = (status: Status) =>
    status === 'delivered' ? undefined : (counts.value?.data.find((each) => each.status === status) ?? null)
  return (
    <Chips
      legend="Status"
      chips={statuses.map(({ status, word }) => ({ value: status, word, count: countOf(status) }))}
      chosen={query.value.getAll('status')}
      change={(status) => setQuery({ status, iterator: null }, 'replace')}
    />
  )
}

/** The filter of the counts: everything but the status. */
function countedBy(given: URLSearchParams): Query {
  const names = filterNames.filter((name) => name !== 'status' && name !== 'text')
  return Object.fromEntries(names.map((name) => [name, given.get(name)]))
}

function Reason() {
  return (
    <label class="field">
      <span>Reason</span>
      <select
        value={query.value.get('reason') ?? ''}
        onChange={(event) => setQuery({ reason: event.currentTarget.value, iterator: null }, 'replace')}
      >
        <option value="">any</option>
        {['exhausted', 'cancelled', 'expired', 'crashed', 'gone'].map((reason) => (
          <option key={reason}>{reason}</option>
        ))}
      </select>
    </label>
  )
}
