import type { ListedDelivery } from '../../api/answers.ts'
import { counted, firstLine, latency, shortUrl } from '../../text/format.ts'
import { outcomeLabel } from '../../text/labels.ts'
import { href } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { retryNow } from './actions.ts'
import { density } from './list/density.tsx'
import { isSelected, withPageToggled, withToggled } from './list/selection.ts'
import type { Selection } from './list/selection.ts'
import { Icon } from '../../parts/icons.tsx'
import { DeliveryState } from '../../parts/status.tsx'
import { Ago, Until } from '../../parts/time.tsx'

interface DeliveryTableProps {
  readonly caption: string
  readonly deliveries: readonly ListedDelivery[]
  readonly refresh: () => void
  /** All go to the same endpoint: instead of its address, rows show the last error or the message. */
  readonly isOfOneEndpoint?: boolean
  /** Absent if rows cannot be selected. */
  readonly selection?: Selection
}

/** Deliveries, newest first. Successful ones recede; failed ones stand out. */
export function DeliveryTable({
  caption,
  deliveries,
  refresh,
  isOfOneEndpoint = false,
  selection,
}: DeliveryTableProps) {
  const shown = { isOfOneEndpoint, refresh, selection: canWrite() ? selection : undefined }
  const page = deliveries.map(({ id }) => id)
  return (
    <div class="scroll">
      <table class={`rows deliveries ${density.value}`}>
        <caption class="hidden">{caption}</caption>
        <Head page={page} {...shown} />
        <tbody>
          {deliveries.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} page={page} {...shown} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface ShownProps {
  /** The ids of the rows on this page. */
  readonly page: readonly string[]
  readonly isOfOneEndpoint: boolean
  readonly refresh: () => void
  readonly selection: Selection | undefined
}

function Head({ page, isOfOneEndpoint, selection }: ShownProps) {
  return (
    <thead>
      <tr>
        {selection !== undefined && (
          <th scope="col" class="tick">
            <input
              type="checkbox"
              aria-label="Select all rows of this page"
              checked={page.every((id) => isSelected(selection.selected, id))}
              onChange={() => selection.change(withPageToggled(selection.selected, page))}
            />
          </th>
        )}
        <th scope="col" class="wide">
          Status
        </th>
        <th scope="col">Event</th>
        <th scope="col" class="wide">
          {whereTitle(isOfOneEndpoint)}
        </th>
        <th scope="col" class="wide number">
          Code
        </th>
        <th scope="col" class="wide number">
          Latency
        </th>
        <th scope="col" class="wide number">
          Attempts
        </th>
        <th scope="col" aria-sort="descending">
          Created
        </th>
        {canWrite() && (
          <th scope="col" class="wide">
            <span class="hidden">Action</span>
          </th>
        )}
      </tr>
    </thead>
  )
}

function whereTitle(isOfOneEndpoint: boolean): string {
  if (isOfOneEndpoint) return 'Last error or message'
  return 'Customer / Endpoint'
}

type RowProps = ShownProps & { readonly delivery: ListedDelivery }

function Row({ delivery, page, refresh, isOfOneEndpoint, selection }: RowProps) {
  const { id, eventType, attemptCount, createdAt, lastAttempt } = delivery
  const isChosen = selection !== undefined && isSelected(selection.selected, id)
  return (
    <tr data-row tabIndex={-1} class={`${weightOf(delivery)}${isChosen ? ' selected' : ''}`}>
      {selection !== undefined && (
        <td class="tick">
          <input
            type="checkbox"
            aria-label={`Select ${id}`}
            checked={isChosen}
            onChange={() => selection.change(withToggled(selection.selected, id, page))}
          />
        </td>
      )}
      <td class="wide">
        <Status delivery={delivery} />
      </td>
      <td class="main">
        <div class="narrow">
          <Status delivery={delivery} />
        </div>
        <a href={href(`deliveries/${id}`)}>{eventType}</a>
        <Narrow delivery={delivery} isOfOneEndpoint={isOfOneEndpoint} />
      </td>
      <td class="where wide">{isOfOneEndpoint ? <WhatFailed delivery={delivery} /> : <Where delivery={delivery} />}</td>
      <td class="number wide code-cell" title={codeTitle(delivery)}>
        {codeOf(delivery)}
      </td>
      <td class="number wide">{lastAttempt === null ? '–' : latency(lastAttempt.tookMs)}</td>
      <td class="number wide">{attemptCount}</td>
      <td class="when">
        <Ago at={createdAt} />
      </td>
      {canWrite() && (
        <td class="wide action">
          <RetryButton delivery={delivery} refresh={refresh} />
        </td>
      )}
    </tr>
  )
}

/** How much a row stands out. */
function weightOf({ status, reason }: ListedDelivery): 'quiet' | 'usual' | 'loud' {
  if (status === 'dead') return reason === 'cancelled' ? 'quiet' : 'loud'
  return status === 'failed' ? 'usual' : 'quiet'
}

function Status({ delivery }: { delivery: ListedDelivery }) {
  return (
    <>
      <DeliveryState delivery={delivery} />
      <Next delivery={delivery} />
    </>
  )
}

/** When the next attempt is due, or why there is none. */
function Next({ delivery: { status, reason, nextRetryAt } }: { delivery: ListedDelivery }) {
  if (status === 'dead' && reason !== 'cancelled') return <div class="under second">{reason}</div>
  if (status !== 'failed' || nextRetryAt === null) return null
  return (
    <div class="under second">
      <Until at={nextRetryAt} />
    </div>
  )
}

function Where({ delivery: { applicationName, endpointId, targetUrl } }: { delivery: ListedDelivery }) {
  return (
    <div class="pair">
      <span class="customer">{applicationName}</span>
      <a class="under" href={href(`endpoints/${endpointId}`)} title={targetUrl}>
        {shortUrl(targetUrl)}
      </a>
    </div>
  )
}

function WhatFailed({ delivery }: { delivery: ListedDelivery }) {
  const failure = failureOf(delivery)
  if (failure === '') return <div class="under message-id">{delivery.messageId}</div>
  return (
    <div class="under" title={delivery.errorDetail ?? undefined}>
      {failure}
    </div>
  )
}

/** What the columns show that are hidden on a phone. */
function Narrow({ delivery, isOfOneEndpoint }: Pick<RowProps, 'delivery' | 'isOfOneEndpoint'>) {
  const { applicationName, targetUrl, attemptCount, lastAttempt } = delivery
  const numbers = [codeOf(delivery), latency(lastAttempt?.tookMs ?? null), counted(attemptCount, 'attempt')]
  return (
    <div class="narrow">
      {!isOfOneEndpoint && (
        <>
          <div class="under">{applicationName}</div>
          <div class="under">{shortUrl(targetUrl)}</div>
        </>
      )}
      {lastAttempt !== null && <div class="under whole">{numbers.join(' · ')}</div>}
    </div>
  )
}

/** The first line of the error; empty if there is none. */
function failureOf({ status, errorDetail }: ListedDelivery): string {
  return status === 'delivered' || errorDetail === null ? '' : firstLine(errorDetail)
}

function codeOf({ lastAttempt }: ListedDelivery): string {
  if (lastAttempt === null) return '–'
  return lastAttempt.statusCode === null ? lastAttempt.outcome : String(lastAttempt.statusCode)
}

function codeTitle(delivery: ListedDelivery): string | undefined {
  const { lastAttempt } = delivery
  if (lastAttempt === null) return undefined
  const failure = failureOf(delivery)
  return failure === '' ? outcomeLabel(lastAttempt.outcome, lastAttempt.statusCode) : failure
}

function RetryButton({ delivery, refresh }: { delivery: ListedDelivery; refresh: () => void }) {
  if ((delivery.status !== 'failed' && delivery.status !== 'dead') || delivery.inFlight) return null
  return (
    <button
      type="button"
      class="button small"
      data-key="r"
      aria-label="Retry now"
      title="Retry now"
      onClick={() => void retryNow(delivery, refresh)}
    >
      <Icon name="retry" />
    </button>
  )
}
