import { QueryInput } from '../../parts/form/query-input.tsx'
import { query, setQuery } from '../../state/router.ts'

/** Everything that messages can be looked for by, as the API calls it. */
export const filterNames = ['text', 'application', 'event_type', 'since', 'until'] as const

/** The filter bar: its state is the address, so that a view can be shared and survives a reload. */
export function MessageFilters() {
  const times = ['since', 'until'].filter((name) => query.value.has(name)).length
  return (
    <form class="filters" role="search" aria-label="Messages" onSubmit={(event) => event.preventDefault()}>
      <div class="line">
        <QueryInput
          name="text"
          label="Message id, event id or idempotency key"
          placeholder="Message id, event id or key"
          kind="search"
        />
        <QueryInput name="application" label="Application" placeholder="Application: uid or app_…" kind="line" />
        <QueryInput name="event_type" label="Event type" placeholder="Event type: invoice.paid" kind="line" />
      </div>
      <details open={times > 0}>
        <summary>Time{times > 0 ? ` (${times})` : ''}</summary>
        <div class="grid">
          <Moment name="since" label="Created since" />
          <Moment name="until" label="Created until" />
        </div>
      </details>
    </form>
  )
}

/** A time in the reader's zone; the address has it in UTC, so that it means the same to everybody. */
function Moment({ name, label }: { name: 'since' | 'until'; label: string }) {
  const given = query.value.get(name)
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="datetime-local"
        value={given === null ? '' : localMinute(given)}
        onChange={({ currentTarget: { value } }) =>
          setQuery({ [name]: value === '' ? null : new Date(value).toISOString(), iterator: null }, 'replace')
        }
      />
    </label>
  )
}

/** What an input of the kind `datetime-local` wants to be given. */
function localMinute(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
