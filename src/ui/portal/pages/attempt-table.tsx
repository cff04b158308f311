import { useState } from 'preact/hooks'
import { Url } from '../../parts/url.tsx'
import type { List, PortalAttempt } from '../../api/answers.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { act, own, resend } from '../api.ts'
import { laidOut, latency } from '../format.ts'
import { Code } from '../parts/code.tsx'
import { Show } from '../parts/loaded.tsx'
import { Time, portalHref } from '../parts/page.tsx'
import { AttemptCode } from '../parts/status.tsx'
import { say } from '../settings.ts'

const refreshMs = 10_000
const fewest = 10

/** The newest attempts at an endpoint, with a link to all of them. */
export function RecentAttempts({ endpointId }: { endpointId: string }) {
  const loaded = useLoad<List<PortalAttempt>>(
    own(`attempt/endpoint/${endpointId}`),
    { limit: fewest, with_msg: 'true', with_content: 'false' },
    refreshMs,
  )
  return (
    <section class="panel">
      <div class="head">
        <h2>{say('endpoint.recent')}</h2>
        <a href={portalHref(`logs?endpoint=${endpointId}`)}>{say('endpoint.recent_all')}</a>
      </div>
      <Show loaded={loaded}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{say('endpoint.recent_none')}</p>
          ) : (
            <AttemptTable attempts={data} refresh={loaded.refresh} />
          )
        }
      </Show>
    </section>
  )
}

interface AttemptTableProps {
  readonly attempts: readonly PortalAttempt[]
  readonly refresh: () => void
  /** All are of one message: then the endpoint is shown instead of the event. */
  readonly isOfOneMessage?: boolean
}

/** Attempts, one per line: the event, the response of the endpoint, and the latency. */
export function AttemptTable({ attempts, refresh, isOfOneMessage = false }: AttemptTableProps) {
  // The server lists them by message, newest first; a log is expected in order of time.
  const byTime = attempts.toSorted((one, other) => Date.parse(other.timestamp) - Date.parse(one.timestamp))
  const newest = newestOfEach(byTime)
  return (
    <div class="scroll">
      <table class="rows">
        <caption class="hidden">{say('logs.title')}</caption>
        <thead>
          <tr>
            <th scope="col">{say('logs.code')}</th>
            <th scope="col">{say(isOfOneMessage ? 'logs.endpoint' : 'logs.event')}</th>
            {!isOfOneMessage && (
              <th scope="col" class="cut">
                {say('messages.id')}
              </th>
            )}
            <th scope="col" class="number wide">
              {say('logs.latency')}
            </th>
            <th scope="col" class="wide">
              {say('logs.when')}
            </th>
            <th scope="col">
              <span class="hidden">{say('common.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {byTime.map((attempt) => (
            <Row
              key={attempt.id}
              attempt={attempt}
              refresh={refresh}
              isNewest={newest.has(attempt.id)}
              isOfOneMessage={isOfOneMessage}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The last attempt of each message at each endpoint: only it can be retried. */
function newestOfEach(byTime: readonly PortalAttempt[]): ReadonlySet<string> {
  const newest = new Map<string, string>()
  for (const { id, msgId, endpointId } of byTime.toReversed()) newest.set(`${msgId} ${endpointId}`, id)
  return new Set(newest.values())
}

interface RowProps {
  readonly attempt: PortalAttempt
  readonly refresh: () => void
  readonly isNewest: boolean
  readonly isOfOneMessage: boolean
}

function Row({ attempt, refresh, isNewest, isOfOneMessage }: RowProps) {
  const [isOpen, setOpen] = useState(false)
  const { id, msgId, responseDurationMs, timestamp } = attempt
  return (
    <>
      <tr>
        <td>
          <AttemptCode attempt={attempt} />
        </td>
        <td class="main">
          <Subject attempt={attempt} isOfOneMessage={isOfOneMessage} />
          <div class="narrow under">
            <Time at={timestamp} /> · {latency(responseDurationMs)}
          </div>
        </td>
        {!isOfOneMessage && <MessageCell attempt={attempt} />}
        <td class="number wide">{latency(responseDurationMs)}</td>
        <td class="when wide">
          <Time at={timestamp} />
        </td>
        <td class="action">
          <div class="actions end">
            {isNewest && <Retry attempt={attempt} refresh={refresh} />}
            <button type="button" class="button small quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {say('logs.show_response')}
            </button>
          </div>
        </td>
      </tr>
      {isOpen && (
        <tr class="response">
          <td colSpan={isOfOneMessage ? 5 : 6}>
            <ResponseBody path={own(`msg/${msgId}/attempt/${id}`)} id={id} />
          </td>
        </tr>
      )}
    </>
  )
}

/** What the attempt was about: which endpoint got it, or which event it was. */
function Subject({ attempt, isOfOneMessage }: Pick<RowProps, 'attempt' | 'isOfOneMessage'>) {
  const { msgId, msg, endpointId, url } = attempt
  if (!isOfOneMessage) return <a href={portalHref(`messages/${msgId}`)}>{msg?.eventType ?? msgId}</a>
  return (
    <a href={portalHref(`endpoints/${endpointId}`)}>
      <Url url={url} />
    </a>
  )
}

/** The same for all attempts of a message: without it one could not see which of them belong together. */
function MessageCell({ attempt: { msgId, msg } }: Pick<RowProps, 'attempt'>) {
  return (
    <td class="cut under">
      <code>{msg?.eventId ?? msgId}</code>
    </td>
  )
}

function Retry({ attempt: { msgId, endpointId, statusText }, refresh }: Pick<RowProps, 'attempt' | 'refresh'>) {
  if (statusText !== 'fail' || !canWrite()) return null
  async function retry(): Promise<void> {
    if (await act(resend(msgId, endpointId), say('logs.retried'))) refresh()
  }
  return (
    <button type="button" class="button small" onClick={() => void retry()}>
      {say('logs.retry')}
    </button>
  )
}

/** The response, loaded on demand. */
function ResponseBody({ path, id }: { path: string; id: string }) {
  const loaded = useLoad<PortalAttempt>(path)
  return (
    <Show loaded={loaded} lines={1}>
      {({ response }) =>
        response === '' ? (
          <p>{say('logs.no_response')}</p>
        ) : (
          <Code label={say('logs.response', { id })} text={laidOut(response)} />
        )
      }
    </Show>
  )
}
