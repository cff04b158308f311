import { QueryCombobox } from '../../parts/form/combobox.tsx'
import { QueryInput } from '../../parts/form/query-input.tsx'
import { RangePicker } from '../../parts/form/range.tsx'
import { applicationChoices, eventTypeChoices } from '../search.ts'

/** All filters of messages, by their names in the API. */
export const filterNames = ['text', 'application', 'event_type', 'since', 'until'] as const

/** The filter bar: its state is the address, so that a view can be shared and survives a reload. */
export function MessageFilters() {
  return (
    <form class="filters" role="search" aria-label="Messages" onSubmit={(event) => event.preventDefault()}>
      <div class="line">
        <QueryInput
          name="text"
          label="Message id, event id or idempotency key"
          placeholder="Message id, event id or key"
          kind="search"
        />
        <QueryCombobox name="application" label="Application" choices={applicationChoices} kind="line" />
        <QueryCombobox name="event_type" label="Event type" choices={eventTypeChoices} kind="line" isFree />
        <RangePicker />
      </div>
    </form>
  )
}
