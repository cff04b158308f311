import type { Delivery } from '../../api/answers.ts'
import { firstLine, shortUrl } from '../../text/format.ts'
import { href } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { retryNow } from './actions.ts'
import { DeliveryState } from '../../parts/status.tsx'
import { Ago, Until } from '../../parts/time.tsx'

interface DeliveryTableProps {
  readonly caption: string
  readonly deliveries: readonly Delivery[]
  readonly refresh: () => void
  /** All go to the same: its address would be in every row. What failed last takes its place. */
  readonly isOfOneEndpoint?: boolean
  /** Absent where rows cannot be selected. */
  readonly selection?: Selection
}

interface Selection {
  readonly ids: ReadonlySet<string>
  readonly change: (ids: ReadonlySet<string>) => void
}

/** Deliveries, newest first. */
export function DeliveryTable({
  caption,
  deliveries,
  refresh,
  isOfOneEndpoint = false,
  selection,
}: DeliveryTableProps) {
  const canSelect = selection !== undefined && canWrite()
  const isAll = canSelect && deliveries.length > 0 && deliveries.every(({ id }) => selection.ids.has(id))
  return (
    <div class="scroll">
      <table class="rows deliveries">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {canSelect && (
              <th scope="col" class="tick">
                <input
                  type="checkbox"
                  aria-label="Select all rows of this page"
                  checked={isAll}
                  onChange={() => selection.change(isAll ? new Set() : new Set(deliveries.map(({ id }) => id)))}
                />
              </th>
            )}
            <th scope="col">Status</th>
            <th scope="col">{isOfOneEndpoint ? 'Event and last failure' : 'Event and endpoint'}</th>
            {!isOfOneEndpoint && (
              <th scope="col" class="cut">
                Last failure
              </th>
            )}
            <th scope="col" class="number wide">
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
        <tbody>
          {deliveries.map((delivery) => (
            <Row
              key={delivery.id}
              delivery={delivery}
              refresh={refresh}
              isOfOneEndpoint={isOfOneEndpoint}
              {...(canSelect ? { selection } : {})}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  readonly delivery: Delivery
  readonly refresh: () => void
  readonly isOfOneEndpoint: boolean
  readonly selection?: Selection
}

function Row({ delivery, refresh, isOfOneEndpoint, selection }: RowProps) {
  const { id, eventType, targetUrl, errorDetail, attemptCount, createdAt } = delivery
  const failure = errorDetail === null ? '' : firstLine(errorDetail)
  const isSelected = selection?.ids.has(id) === true
  return (
    <tr data-row tabIndex={-1} class={isSelected ? 'selected' : undefined}>
      {selection !== undefined && (
        <td class="tick">
          <input
            type="checkbox"
            aria-label={`Select ${id}`}
            checked={isSelected}
            onChange={() => selection.change(toggled(selection.ids, id))}
          />
        </td>
      )}
      <td>
        <DeliveryState delivery={delivery} />
        <NextRetry delivery={delivery} />
      </td>
      <td class="main">
        <a href={href(`deliveries/${id}`)}>{eventType}</a>
        <div class="under" title={isOfOneEndpoint ? failure : targetUrl}>
          {isOfOneEndpoint ? failure : shortUrl(targetUrl)}
        </div>
      </td>
      {!isOfOneEndpoint && (
        <td class="cut muted" title={errorDetail ?? undefined}>
          {failure}
        </td>
      )}
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

function NextRetry({ delivery: { status, nextRetryAt } }: { delivery: Delivery }) {
  if (status !== 'failed' || nextRetryAt === null) return null
  return (
    <div class="under">
      <Until at={nextRetryAt} />
    </div>
  )
}

function RetryButton({ delivery, refresh }: { delivery: Delivery; refresh: () => void }) {
  if ((delivery.status !== 'failed' && delivery.status !== 'dead') || delivery.inFlight) return null
  return (
    <button type="button" class="button small" data-key="r" onClick={() => void retryNow(delivery, refresh)}>
      Retry now
    </button>
  )
}

export function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
