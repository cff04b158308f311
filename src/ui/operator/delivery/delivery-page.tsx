import { useState } from 'preact/hooks'
import { cancelDelivery, retryNow } from './actions.ts'
import { get, problemOf } from '../../api/call.ts'
import type { DeliveryDetail } from '../../api/answers.ts'
import { Code, Id, copyText } from '../../parts/code.tsx'
import { Dialog } from '../../parts/modal.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useLoad } from '../../state/use-load.ts'
import { Details, Page, Panel } from '../../parts/page.tsx'
import { Payload } from './payload.tsx'
import { Show } from '../../parts/loaded.tsx'
import { DeliveryState } from '../../parts/status.tsx'
import { Ago, Prose, Until } from '../../parts/time.tsx'
import { Url } from '../../parts/url.tsx'
import { customerName } from '../application/application-health.ts'
import { SignatureDebugger } from './signature-debugger.tsx'
import { Timeline } from './attempt/timeline.tsx'
import { href } from '../../state/router.ts'
import { notify } from '../../state/notices.ts'
import { canWrite } from '../../state/session.ts'

const refreshMs = 2_000

/** One delivery: its status and why, its attempts and its payload. */
export function Delivery({ id }: { id: string }) {
  const loaded = useLoad<DeliveryDetail>(`delivery/${encodeURIComponent(id)}`, {}, refreshMs)
  const delivery = loaded.value
  return (
    <Page
      title={delivery?.eventType ?? 'Delivery'}
      above={<a href={href('deliveries')}>Deliveries</a>}
      actions={delivery !== null && canWrite() && <Actions delivery={delivery} refresh={loaded.refresh} />}
    >
      <Show loaded={loaded} lines={8}>
        {(detail) => (
          <>
            <div class="why">
              <DeliveryState delivery={detail} />
              <p>
                <Prose text={detail.why.sentence} />
              </p>
            </div>
            <div class="columns">
              <div>
                <Timeline delivery={detail} />
                <Payload message={detail.message} />
                {canWrite() && !detail.message.erased && <SignatureDebugger deliveryId={detail.id} />}
              </div>
              <Panel title="Details">
                <Details details={detailsOf(detail)} />
              </Panel>
            </div>
          </>
        )}
      </Show>
    </Page>
  )
}

function Actions({ delivery, refresh }: { delivery: DeliveryDetail; refresh: () => void }) {
  const [command, setCommand] = useState<string | null>(null)
  const isOpen = delivery.status === 'pending' || delivery.status === 'failed'
  return (
    <>
      {command !== null && (
        <Dialog title="As curl, with a fresh signature" onClose={() => setCommand(null)}>
          <Code label="The command" text={command} />
        </Dialog>
      )}
      <button type="button" class="button" onClick={() => void copyCurl(delivery.id, setCommand)}>
        <Icon name="copy" />
        Copy as curl
      </button>
      {isOpen && (
        <button type="button" class="button" onClick={() => void cancelDelivery(delivery, refresh)}>
          Cancel
        </button>
      )}
      {delivery.status !== 'pending' && (
        <button
          type="button"
          class="button primary"
          data-key="r"
          disabled={delivery.inFlight}
          onClick={() => void retryNow(delivery, refresh)}
        >
          {delivery.status === 'delivered' ? 'Send again' : 'Retry now'}
        </button>
      )}
    </>
  )
}

/** Copies the command, or shows it if the browser does not allow copying. */
async function copyCurl(id: string, show: (command: string) => void): Promise<void> {
  const answer = await get<{ command: string }>(`delivery/${id}/curl`)
  if (answer.kind !== 'answered') return notify('bad', problemOf(answer))
  if (!(await copyText(answer.value.command))) return show(answer.value.command)
  notify('good', 'Copied a curl command with a fresh signature. Copying it is recorded in the audit log.')
}

function detailsOf(delivery: DeliveryDetail): [string, preact.ComponentChildren][] {
  const { endpoint, application, message } = delivery
  const details: [string, preact.ComponentChildren | null][] = [
    [
      'Endpoint',
      <a href={href(`endpoints/${endpoint.id}`)}>
        <Url url={endpoint.url} />
      </a>,
    ],
    ['Application', <a href={href(`applications/${application.id}`)}>{customerName(application)}</a>],
    ['Attempts', `${delivery.attemptCount} of ${delivery.maxAttempts}`],
    ['Next attempt', isWaiting(delivery) && delivery.nextRetryAt !== null ? <Until at={delivery.nextRetryAt} /> : null],
    ['Policy', delivery.policy],
    ['Reason', delivery.reason],
    ['Created', <Ago at={delivery.createdAt} />],
    ['Last attempt', <Ago at={delivery.lastAttemptedAt} />],
    ['Requeued', delivery.requeuedAt === null ? null : <Ago at={delivery.requeuedAt} />],
    ['Held by worker', delivery.inFlight ? delivery.leaseOwner : null],
    ['Delivery', <Id id={delivery.id} />],
    ['Message (webhook-id)', <Id id={message.id} />],
    ['Event id', message.eventId === null ? null : <Id id={message.eventId} />],
    ['Session', delivery.sessionId],
    ['Channels', message.channels === null || message.channels.length === 0 ? null : message.channels.join(', ')],
    ['Same message', <a href={href(`messages/${message.id}`)}>all its deliveries</a>],
  ]
  return details.filter(([, value]) => value !== null)
}

function isWaiting(delivery: DeliveryDetail): boolean {
  return (delivery.status === 'pending' || delivery.status === 'failed') && !delivery.inFlight
}
