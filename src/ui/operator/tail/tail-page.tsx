import { useEffect, useState } from 'preact/hooks'
import { count, counted } from '../../text/format.ts'
import { Icon } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { QueryCombobox } from '../../parts/form/combobox.tsx'
import { endpointChoices } from '../search.ts'
import { Empty } from '../../parts/loaded.tsx'
import { State } from '../../parts/status.tsx'
import { href, query, setQuery } from '../../state/router.ts'
import { eventTypes, openTail } from './event-tail.ts'
import type { Tail as Stream, TailEvent, TailView } from './event-tail.ts'

const nothing: TailView = { events: [], skipped: 0, waiting: 0, isOpen: false }

/** What happens, while it happens. */
export function Tail() {
  const type = query.value.get('type') ?? ''
  const endpoint = query.value.get('endpoint') ?? ''
  const [view, setView] = useState(nothing)
  const [stream, setStream] = useState<Stream | null>(null)
  const [isPaused, setPaused] = useState(false)
  useEffect(() => {
    const opened = openTail({ type, endpoint }, setView)
    setStream(opened)
    setPaused(false)
    setView(nothing)
    return opened.close
  }, [type, endpoint])

  function pause(): void {
    stream?.pause(!isPaused)
    setPaused(!isPaused)
  }

  return (
    <Page
      title="Live tail"
      actions={
        <button type="button" class="button" aria-pressed={isPaused} onClick={pause}>
          <Icon name={isPaused ? 'play' : 'pause'} />
          {isPaused ? `Go on${view.waiting > 0 ? ` (${count(view.waiting)} new)` : ''}` : 'Pause'}
        </button>
      }
    >
      <Filters type={type} view={view} />
      {view.events.length === 0 ? (
        <Empty title="Waiting for something to happen">
          <p>Every message that is sent and every attempt shows up here as it happens.</p>
        </Empty>
      ) : (
        <Table events={view.events} />
      )}
    </Page>
  )
}

function Filters({ type, view }: { type: string; view: TailView }) {
  return (
    <form class="filters" role="search" aria-label="Events" onSubmit={(event) => event.preventDefault()}>
      <div class="line">
        <label class="field">
          <span class="hidden">Type of event</span>
          <select value={type} onChange={(event) => setQuery({ type: event.currentTarget.value }, 'replace')}>
            <option value="">all events</option>
            {eventTypes.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <QueryCombobox name="endpoint" label="Endpoint" choices={endpointChoices} kind="search" />
        <span class="line">
          {view.isOpen ? (
            <State tone="good" icon="flight" word="listening" />
          ) : (
            <State tone="warning" icon="retry" word="connecting" />
          )}
          {view.skipped > 0 && <span class="note">{counted(view.skipped, 'event')} skipped</span>}
        </span>
      </div>
    </form>
  )
}

function Table({ events }: { events: readonly TailEvent[] }) {
  return (
    <div class="scroll">
      <table class="rows tail">
        <caption class="hidden">Events, newest first</caption>
        <thead>
          <tr>
            <th scope="col" class="wide" aria-sort="descending">
              Time
            </th>
            <th scope="col">Event</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ key, time, type, tone, icon, sentence, deliveryId, endpointId }) => (
            <tr key={key} data-row tabIndex={-1}>
              <td class="when wide">{time}</td>
              <td>
                <State tone={tone} icon={icon} word={type} />
              </td>
              <td class="main">
                {deliveryId !== null && <a href={href(`deliveries/${deliveryId}`)}>{sentence}</a>}
                {deliveryId === null && endpointId !== null && <a href={href(`endpoints/${endpointId}`)}>{sentence}</a>}
                {deliveryId === null && endpointId === null && sentence}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
