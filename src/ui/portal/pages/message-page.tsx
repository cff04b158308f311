import type { List, MessageDestination, PortalAttempt, PortalMessage } from '../../api/answers.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import type { Loaded } from '../../state/use-load.ts'
import { act, own, resend } from '../api.ts'
import { Url } from '../../parts/url.tsx'
import { Show } from '../parts/loaded.tsx'
import { Page, Time, portalHref } from '../parts/page.tsx'
import { Payload } from '../parts/payload.tsx'
import { Progress } from '../parts/status.tsx'
import { say } from '../settings.ts'
import { AttemptTable } from './attempt-table.tsx'

const refreshMs = 5_000
const pageSize = 50

/** One message: its payload, its endpoints, and every attempt to send it. */
export function MessagePage({ id }: { id: string }) {
  const message = useLoad<PortalMessage>(own(`msg/${id}`), { with_content: 'false' })
  const destinations = useLoad<List<MessageDestination>>(own(`msg/${id}/endpoint`), { limit: pageSize }, refreshMs)
  const attempts = useLoad<List<PortalAttempt>>(
    own(`attempt/msg/${id}`),
    { limit: pageSize, with_msg: 'true', with_content: 'false' },
    refreshMs,
  )
  function refresh(): void {
    destinations.refresh()
    attempts.refresh()
  }
  return (
    <Page title={message.value?.eventType ?? say('messages.id')}>
      <Show loaded={message}>
        {({ timestamp, eventId }) => (
          <>
            <p class="muted">
              <code>{eventId ?? id}</code> · <Time at={timestamp} />
            </p>
            <Destinations messageId={id} loaded={destinations} refresh={refresh} />
            <section class="panel">
              <h2>{say('message.payload')}</h2>
              <Payload messageId={id} />
            </section>
            {attempts.value !== null && attempts.value.data.length > 0 && (
              <section class="panel">
                <h2>{say('message.attempts')}</h2>
                <AttemptTable attempts={attempts.value.data} refresh={refresh} isOfOneMessage />
              </section>
            )}
          </>
        )}
      </Show>
    </Page>
  )
}

interface DestinationsProps {
  readonly messageId: string
  readonly loaded: Loaded<List<MessageDestination>>
  readonly refresh: () => void
}

function Destinations({ messageId, loaded, refresh }: DestinationsProps) {
  return (
    <section class="panel">
      <h2>{say('message.endpoints')}</h2>
      <Show loaded={loaded} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{say('message.no_endpoints')}</p>
          ) : (
            <ul class="plain destinations">
              {data.map((to) => (
                <Destination key={to.id} messageId={messageId} to={to} refresh={refresh} />
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  )
}

function Destination({ messageId, to, refresh }: { messageId: string; to: MessageDestination; refresh: () => void }) {
  async function again(): Promise<void> {
    if (await act(resend(messageId, to.id), say('message.resent'))) refresh()
  }
  return (
    <li class="line">
      <Progress to={to} />
      <a href={portalHref(`endpoints/${to.id}`)}>
        <Url url={to.url} />
      </a>
      {to.nextAttempt !== null && (
        <span class="muted">
          <Time at={to.nextAttempt} />
        </span>
      )}
      {canWrite() && (
        <button type="button" class="button small" onClick={() => void again()}>
          {say('message.resend')}
        </button>
      )}
    </li>
  )
}
