import { query, setQuery } from '../../state/router.ts'
import { isPortal } from '../../state/session.ts'
import { statuses } from '../../text/labels.ts'
import { QueryCombobox } from '../../parts/form/combobox.tsx'
import { applicationChoices, endpointChoices, eventTypeChoices } from '../search.ts'
import { QueryInput } from '../../parts/form/query-input.tsx'

/** Everything that deliveries can be looked for by, as the API calls it. */
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
  const more = filterNames.filter((name) => !['status', 'text'].includes(name) && query.value.has(name)).length
  return (
    <form class="filters" role="search" aria-label="Deliveries" onSubmit={(event) => event.preventDefault()}>
      <div class="line">
        <QueryInput name="text" label="Text in the payload" placeholder="Text in the payload" kind="search" />
        <Statuses />
      </div>
      <details open={more > 0}>
        <summary>More filters{more > 0 ? ` (${more})` : ''}</summary>
        <div class="grid">
          {chosen
            .filter(([name]) => !(isPortal() && name === 'application'))
            .map(([name, label, choices]) => (
              <QueryCombobox key={name} name={name} label={label} choices={choices} isFree={name === 'event_type'} />
            ))}
          {texts.map(([name, label, hint]) => (
            <QueryInput key={name} name={name} label={label} placeholder={hint} kind="field" />
          ))}
          <Reason />
          <Moment name="since" label="Created since" />
          <Moment name="until" label="Created until" />
        </div>
      </details>
    </form>
  )
}

function Statuses() {
  const given = query.value.getAll('status')

  function toggle(status: string): void {
    const next = given.includes(status) ? given.filter((each) => each !== status) : [...given, status]
    setQuery({ status: next, iterator: null }, 'replace')
  }

  return (
    <fieldset class="chips">
      <legend class="hidden">Status</legend>
      {statuses.map(({ status, word }) => (
        <label key={status}>
          <input type="checkbox" checked={given.includes(status)} onChange={() => toggle(status)} />
          <span>{word}</span>
        </label>
      ))}
    </fieldset>
  )
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
