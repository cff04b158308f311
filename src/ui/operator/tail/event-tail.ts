import { apiUrl, get } from '../../api/call.ts'
import type { Application, List } from '../../api/answers.ts'
import { browserClock } from '../../clock.ts'
import { connectionLost } from '../../state/connection.ts'
import { picks } from './tail-filter.ts'
import type { TailFilter } from './tail-filter.ts'
import { rowOf, rowOfDelivery } from './tail-row.ts'
import type { ListedDelivery, StreamedEvent, TailRow } from './tail-row.ts'
import { TailRows } from './tail-rows.ts'
import { eventWords } from './tail-words.ts'

export interface TailView {
  readonly rows: readonly TailRow[]
  /** Events that were never shown, because there were too many. */
  readonly skipped: number
  /** How many arrived while the view was paused. */
  readonly waiting: number
  readonly isOpen: boolean
  /** The earlier deliveries are loaded: if there are no rows now, there are none. */
  readonly hasBegun: boolean
}

export interface Tail {
  readonly pause: (isPaused: boolean) => void
  readonly close: () => void
}

const drawMs = 250
const retryMs = 3_000
const earlierRows = 50

/** Follows the stream, and renders at most four times a second; events that do not fit are counted, not kept. */
export function openTail(filter: TailFilter, draw: (view: TailView) => void): Tail {
  const rows = new TailRows()
  const leaving = new AbortController()
  let stopWaiting: (() => void) | null = null
  let source = connect()
  let hasBegun = false
  void begin(rows, filter, leaving.signal).then(() => {
    hasBegun = true
    rows.touch()
    if (!leaving.signal.aborted) show()
  })

  function connect(): EventSource {
    return listen(rows, filter, () => {
      stopWaiting = browserClock.after(retryMs, () => void reconnect())
    })
  }

  async function reconnect(): Promise<void> {
    const answer = await get('session')
    if (answer.kind === 'answered') source = connect()
    else if (answer.kind === 'unreachable') stopWaiting = browserClock.after(retryMs, () => void reconnect())
  }

  function show(): void {
    const view = rows.view()
    if (view !== null) draw({ ...view, isOpen: source.readyState === EventSource.OPEN, hasBegun })
  }

  const stopDrawing = browserClock.every(drawMs, show)
  return {
    pause: (isPaused) => rows.pause(isPaused),
    close() {
      leaving.abort()
      stopDrawing()
      stopWaiting?.()
      source.close()
    },
  }
}

function listen(rows: TailRows, filter: TailFilter, refused: () => void): EventSource {
  const opened = new EventSource(apiUrl('stream', { type: filter.type }))
  for (const [type] of eventWords)
    opened.addEventListener(type, (message: MessageEvent<string>) =>
      rows.add(
        (key) => rowOf(JSON.parse(message.data) as StreamedEvent, key),
        (row) => picks(filter, row),
      ),
    )
  opened.addEventListener('gap', (message: MessageEvent<string>) =>
    rows.skip((JSON.parse(message.data) as { missed: number | null }).missed ?? 0),
  )
  opened.addEventListener('open', () => {
    connectionLost.value = false
    rows.touch()
  })
  opened.addEventListener('error', () => {
    rows.touch()
    // The browser tries again by itself after a lost connection, but not after a refusal: the session may have expired.
    if (opened.readyState !== EventSource.CLOSED) connectionLost.value = true
    else refused()
  })
  return opened
}

/** The last deliveries, so that the page does not start empty. */
async function begin(rows: TailRows, filter: TailFilter, signal: AbortSignal): Promise<void> {
  const answer = await get<List<ListedDelivery>>('delivery', { limit: earlierRows }, signal)
  if (answer.kind !== 'answered') return
  const names = await namesOf(answer.value.data, signal)
  if (signal.aborted) return
  const earlier = answer.value.data
    .map((delivery, index) =>
      rowOfDelivery({ applicationName: names.get(delivery.applicationId), ...delivery }, -1 - index),
    )
    .filter((row) => picks(filter, row) && (filter.type === '' || row.type === filter.type))
  rows.begin(earlier.toSorted((one, other) => other.at.localeCompare(one.at)))
}

/** The names of the customers that the list does not include. */
async function namesOf(
  deliveries: readonly ListedDelivery[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | undefined>> {
  const unnamed = deliveries.filter(({ applicationName }) => applicationName === undefined)
  const ids = [...new Set(unnamed.map(({ applicationId }) => applicationId))]
  const found = await Promise.all(
    ids.map(async (id) => {
      const answer = await get<Application>(`app/${id}`, {}, signal)
      return [id, answer.kind === 'answered' ? answer.value.name : undefined] as const
    }),
  )
  return new Map(found)
}
