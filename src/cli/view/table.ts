import { isLeased } from '../../core/delivery/delivery.ts'
import type { Delivery } from '../../core/delivery/delivery.ts'
import type { Overview } from '../../core/ports/overview.ts'
import type { Instant } from '../../core/time.ts'
import { cell, duration, secondsUntil } from './text.ts'

export type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim' | 'bold'
export type Paint = (colour: Colour, text: string) => string

export interface Table {
  readonly title: string
  readonly hint: string
  /** Newest first. */
  readonly deliveries: readonly Delivery[]
  readonly overview: Overview
  readonly label: (endpointId: string) => string
  readonly now: Instant
  readonly columns: number
  readonly rows: number
  readonly paint: Paint
}

/** The content of a delivery's line. */
interface Cells {
  readonly id: string
  readonly endpoint: string
  readonly status: string
  readonly sends: string
  readonly why: string
}

const idColumns = 9
const statusColumns = 9
const sendsColumns = 5
const gap = '  '
const linesAround = 7
const headings: Cells = { id: 'delivery', endpoint: 'endpoint', status: 'status', sends: 'sends', why: 'why' }

/** The deliveries as lines that fit the terminal, newest at the bottom. */
export function tableLines({ title, hint, deliveries, overview, label, now, columns, rows, paint }: Table): string[] {
  const shown = mostInteresting(deliveries, Math.max(rows - linesAround, 1)).toReversed()
  const endpointColumns = Math.min(Math.max(8, ...shown.map(({ endpointId }) => label(endpointId).length)), 24)
  // One column stays free: a terminal may wrap a full line.
  const whyColumns = Math.max(
    columns - 2 - idColumns - endpointColumns - statusColumns - sendsColumns - 4 * gap.length,
    10,
  )

  function line({ id, endpoint, status, sends, why }: Cells, colour: Colour | null): string {
    const plain = cell(status, statusColumns)
    const parts = [
      cell(id, idColumns),
      cell(endpoint, endpointColumns),
      colour === null ? plain : paint(colour, plain),
      cell(sends.padStart(sendsColumns), sendsColumns),
      cell(why, whyColumns),
    ]
    return ` ${parts.join(gap)}`
  }

  return [
    paint('bold', cell(` ${title}`, columns - 1)),
    '',
    paint('dim', line(headings, null)),
    ...shown.map((delivery) => {
      const { status, colour, why } = stateOf(delivery, now)
      return line(
        {
          id: `…${delivery.id.slice(-8)}`,
          endpoint: label(delivery.endpointId),
          status,
          sends: String(delivery.attemptCount),
          why,
        },
        colour,
      )
    }),
    '',
    cell(` ${sums(overview)}`, columns - 1),
    ...(hint === '' ? [] : [paint('dim', cell(` ${hint}`, columns - 1))]),
  ]
}

/** If there are too many, delivered ones are left out first, then the oldest. */
export function mostInteresting(deliveries: readonly Delivery[], most: number): Delivery[] {
  let surplus = Math.max(deliveries.length - most, 0)
  const kept: Delivery[] = []
  for (const delivery of deliveries.toReversed()) {
    if (surplus > 0 && delivery.status === 'delivered') surplus -= 1
    else kept.push(delivery)
  }
  return kept.slice(-most).toReversed()
}

function sums({ delivered, dead, queue }: Overview): string {
  const open = `${queue.fresh + queue.retries}${queue.atLeast ? '+' : ''}`
  return `in the last hour ${delivered} delivered · ${dead} dead · now ${open} open, ${queue.retries} to be retried`
}

interface State {
  readonly status: string
  readonly colour: Colour
  readonly why: string
}

function stateOf(delivery: Delivery, now: Instant): State {
  const { status, createdAt, updatedAt } = delivery
  switch (status) {
    case 'delivered':
      return { status, colour: 'green', why: `after ${duration(Math.max(updatedAt - createdAt, 0))}` }
    case 'dead':
      return { status, colour: 'red', why: whyDead(delivery) }
    case 'pending':
      return isLeased(delivery, now)
        ? { status: 'sending', colour: 'cyan', why: '' }
        : { status, colour: 'cyan', why: 'waits for its turn' }
    case 'failed':
      return failedState(delivery, now)
  }
}

function whyDead({ reason, errorDetail }: Delivery): string {
  return errorDetail === null || errorDetail === '' ? (reason ?? '') : `${reason ?? 'exhausted'}: ${errorDetail}`
}

function failedState(delivery: Delivery, now: Instant): State {
  const detail = delivery.errorDetail ?? ''
  if (isLeased(delivery, now)) return { status: 'sending', colour: 'cyan', why: `once more · ${detail}` }
  return { status: 'failed', colour: 'yellow', why: `${retryIn(delivery.nextRetryAt ?? now, now)} · ${detail}` }
}

function retryIn(at: Instant, now: Instant): string {
  return at > now ? `retry in ${secondsUntil(at, now)}` : 'retry is due'
}
