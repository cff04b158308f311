import { useEffect, useState } from 'preact/hooks'
import { count, counted, instant, latency } from '../../text/format.ts'
import { Icon } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { QueryInput } from '../../parts/form/query-input.tsx'
import { Empty, Skeleton } from '../../parts/loaded.tsx'
import { State } from '../../parts/status.tsx'
import { href, query, setQuery } from '../../state/router.ts'
import { openTail } from './event-tail.ts'
import type { Tail as Stream, TailView } from './event-tail.ts'
import type { TailFilter } from './tail-filter.ts'
import type { TailRow } from './tail-row.ts'
import { appearanceOf, eventWords } from './tail-words.ts'

const nothing: TailView = { rows: [], skipped: 0, waiting: 0, isOpen: false, hasBegun: false }
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Events as they happen, after the last deliveries before that. */
export function Tail() {
  const filter = filterIn(query.value)
  const [view, setView] = useState(nothing)
  const [stream, setStream] = useState<Stream | null>(null)
  const [isPaused, setPaused] = useState(false)
  useEffect(() => {
    const opened = openTail(filter, setView)
    setStream(opened)
    setPaused(false)
    setView(nothing)
    return opened.close
  }, [JSON.stringify(filter)])

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
      <Filters type={filter.type} view={view} />
      {view.rows.length > 0 ? <Table rows={view.rows} /> : view.hasBegun ? <Nothing /> : <Skeleton lines={6} />}
    </Page>
  )
}

function Nothing() {
  return (
    <Empty title="Waiting for something to happen">
      <p>Every message that is sent and every attempt shows up here as it happens.</p>
    </Empty>
  )
}

function filterIn(given: URLSearchParams): TailFilter {
  const text = (name: string): string => given.get(name) ?? ''
  return {
    type: text('type'),
    eventType: text('event_type'),
    customer: text('customer'),
    endpoint: text('endpoint'),
    code: text('code'),
    slowerThan: text('slower_than'),
  }
}

function Filters({ type, view }: { type: string; view: TailView }) {
  return (
    <form class="filters tail-filters" role="search" aria-label="Events" onSubmit={(event) => event.preventDefault()}>
      <div class="line">
        <label class="field">
          <span class="hidden">Event</span>
          <select value={type} onChange={(event) => setQuery({ type: event.currentTarget.value }, 'replace')}>
            <option value="">all events</option>
            {eventWords.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <QueryInput name="event_type" label="Type" placeholder="Type" kind="search" />
        <QueryInput name="customer" label="Customer" placeholder="Customer" kind="line" />
        <QueryInput name="endpoint" label="Endpoint" placeholder="Endpoint" kind="line" />
        <QueryInput name="code" label="Code" placeholder="Code: 5, 404" kind="line" />
        <QueryInput name="slower_than" label="Slower than, in milliseconds" placeholder="Slower: 500" kind="line" />
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

function Table({ rows }: { rows: readonly TailRow[] }) {
  return (
    <div class="scroll">
      <table class="rows tail">
        <caption class="hidden">Events, newest first</caption>
        <thead>
          <tr>
            <th scope="col" aria-sort="descending">
              Time
            </th>
            <th scope="col" class="wide">
              Event
            </th>
            <th scope="col">Type</th>
            <th scope="col" class="wide">
              Customer
            </th>
            <th scope="col" class="wide">
              Endpoint
            </th>
            <th scope="col" class="wide">
              Code
            </th>
            <th scope="col" class="number wide">
              Latency
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.key} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ row }: { row: TailRow }) {
  const { at, eventType, customer, endpoint, code, latencyMs, detail, to } = row
  const look = appearanceOf(row)
  const title = eventType ?? look.word
  const took = latencyMs === null ? '' : latency(latencyMs)
  return (
    <tr data-row tabIndex={-1} class={isOrdinary(row) ? 'quiet' : undefined}>
      <td class="when">
        <time dateTime={at} title={instant(at)}>
          {clock.format(new Date(at))}
        </time>
      </td>
      <td class="wide">
        <State {...look} />
      </td>
      <td class="main">
        <div class="narrow">
          <State {...look} />
        </div>
        {to === null ? title : <a href={href(to)}>{title}</a>}
        {detail !== '' && <div class="under">{detail}</div>}
        <div class="under narrow">
          {[customer, code, took].filter((part) => part !== null && part !== '').join(' · ')}
        </div>
        <div class="under narrow">{endpoint}</div>
      </td>
      <td class="wide customer">{customer}</td>
      <td class="wide where">{endpoint}</td>
      <td class={codeTone(code)}>{code}</td>
      <td class="number wide">{took}</td>
    </tr>
  )
}

/** As in the list of deliveries: what a person cancelled is not exceptional. */
function isOrdinary(row: TailRow): boolean {
  const { tone } = appearanceOf(row)
  return tone === 'good' || tone === 'idle' || row.isCancelled
}

/** Failures stand out. */
function codeTone(code: string | null): string {
  return code === null || code.startsWith('2') ? 'wide code' : 'wide code failed-code'
}
