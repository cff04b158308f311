import type { Delivery, DeliveryList } from '../../api/answers.ts'
import { Empty, Show } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/page.tsx'
import { DeliveryState } from '../../parts/status.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { Ago, Until } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { href, query } from '../../state/router.ts'
import { useLoad } from '../../state/use-load.ts'
import { firstLine } from '../../text/format.ts'

const refreshMs = 2_000
const pageSize = 50

/** The endpoints of a message, and its progress at each; each row links to its delivery. */
export function FanOut({ messageId }: { messageId: string }) {
  const loaded = useLoad<DeliveryList>(
    'delivery',
    { message: messageId, iterator: query.value.get('iterator'), limit: pageSize },
    refreshMs,
  )
  return (
    <Panel
      title="Deliveries"
      actions={<a href={href(`deliveries?message=${encodeURIComponent(messageId)}`)}>Open as a list</a>}
    >
      <Show loaded={loaded} lines={3}>
        {(list) =>
          list.data.length === 0 ? (
            <Empty title="It went to no endpoint">
              <p>An endpoint that wants this event type now gets the next message, not this one: replay it there.</p>
            </Empty>
          ) : (
            <>
              <Table deliveries={list.data} />
              <Pager list={list} />
            </>
          )
        }
      </Show>
    </Panel>
  )
}

function Table({ deliveries }: { deliveries: readonly Delivery[] }) {
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">Deliveries of this message, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Endpoint and last error</th>
            <th scope="col" class="number wide">
              Attempts
            </th>
            <th scope="col" class="wide">
              Last attempt
            </th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ delivery }: { delivery: Delivery }) {
  const { id, status, targetUrl, errorDetail, attemptCount, lastAttemptedAt, nextRetryAt } = delivery
  return (
    <tr data-row tabIndex={-1}>
      <td>
        <DeliveryState delivery={delivery} />
        {status === 'failed' && nextRetryAt !== null && (
          <div class="under">
            <Until at={nextRetryAt} />
          </div>
        )}
      </td>
      <td class="main">
        <a href={href(`deliveries/${id}`)}>
          <Url url={targetUrl} />
        </a>
        {errorDetail !== null && (
          <div class="under" title={errorDetail}>
            {firstLine(errorDetail)}
          </div>
        )}
      </td>
      <td class="number wide">{attemptCount}</td>
      <td class="wide when">
        <Ago at={lastAttemptedAt} />
      </td>
    </tr>
  )
}
