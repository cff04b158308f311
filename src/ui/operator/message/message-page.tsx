import type { ComponentChildren } from 'preact'
import type { MessageDetail } from '../../api/answers.ts'
import { Id } from '../../parts/code.tsx'
import { Show } from '../../parts/loaded.tsx'
import { Details, Page, Panel } from '../../parts/page.tsx'
import { State } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { href } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { bytes } from '../../text/format.ts'
import { customerName } from '../application/application-health.ts'
import { Payload } from '../delivery/payload.tsx'
import { FanOut } from './fan-out.tsx'
import { progressSentence, progressState } from './message-progress.ts'
import { resendFailed } from './resend-failed.ts'

const refreshMs = 2_000

/** One message: its status at each endpoint, and its payload. */
export function Message({ id }: { id: string }) {
  const loaded = useLoad<MessageDetail>(`message/${encodeURIComponent(id)}`, {}, refreshMs)
  const message = loaded.value
  return (
    <Page
      title={message?.eventType ?? 'Message'}
      above={<a href={href('messages')}>Messages</a>}
      actions={message !== null && canWrite() && <Resend message={message} refresh={loaded.refresh} />}
    >
      <Show loaded={loaded} lines={8}>
        {(detail) => (
          <>
            <div class="why">
              <State {...progressState(detail.deliveries)} />
              <p>{progressSentence(detail.deliveries)}</p>
            </div>
            <div class="columns">
              <div>
                <FanOut messageId={detail.id} />
                <Payload message={detail} />
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

/** An erased message cannot be sent again. */
function Resend({ message, refresh }: { message: MessageDetail; refresh: () => void }) {
  if (message.erased || message.deliveries.failed + message.deliveries.dead === 0) return null
  return (
    <button type="button" class="button primary" data-key="r" onClick={() => void resendFailed(message.id, refresh)}>
      Resend to all failed …
    </button>
  )
}

function detailsOf(message: MessageDetail): [string, ComponentChildren][] {
  const { id, eventId, application, channels, sessionId, createdAt, contentType } = message
  const name = customerName(application)
  const details: [string, ComponentChildren | null][] = [
    ['Application', <a href={href(`applications/${application.id}`)}>{name}</a>],
    ['Created', <Ago at={createdAt} />],
    ['Event id', eventId === null ? null : <Id id={eventId} />],
    ['Channels', channels === null ? null : channels.join(', ')],
    ['Session', sessionId],
    ['Size', bytes(message.bytes)],
    ['Content type', contentType],
    ['Message (webhook-id)', <Id id={id} />],
  ]
  return details.filter(([, value]) => value !== null)
}
