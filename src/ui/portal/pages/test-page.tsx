import { useState } from 'preact/hooks'
import type { Endpoint, List, PortalAttempt, PortalMessage } from '../../api/answers.ts'
import { post } from '../../api/call.ts'
import { query } from '../../state/router.ts'
import { canWrite } from '../../state/session.ts'
import { useLoad } from '../../state/use-load.ts'
import { own, useEventTypes } from '../api.ts'
import { laidOut, latency } from '../format.ts'
import { Code } from '../parts/code.tsx'
import { EndpointChoice } from '../parts/endpoint-choice.tsx'
import { Form } from '../parts/form.tsx'
import { fieldText } from '../../parts/form/submit-form.tsx'
import { Empty, Show } from '../parts/loaded.tsx'
import { Page } from '../parts/page.tsx'
import { Payload } from '../parts/payload.tsx'
import { AttemptCode, standingOf } from '../parts/status.tsx'
import { say } from '../settings.ts'

const lookMs = 500

/** Sends an example to an endpoint, and shows what it answers. */
export function Test() {
  return (
    <Page title={say('test.title')}>
      <p>{say('test.sentence')}</p>
      {canWrite() ? (
        <EndpointChoice label={say('test.endpoint')} none={say('test.no_endpoints')}>
          {(endpoint) => <Trial key={endpoint.id} endpoint={endpoint} />}
        </EndpointChoice>
      ) : (
        <Empty title={say('test.read_only')} />
      )}
    </Page>
  )
}

function Trial({ endpoint }: { endpoint: Endpoint }) {
  const types = useEventTypes()
  const [messageId, setMessageId] = useState<string | null>(null)
  if (['paused', 'disabled'].includes(standingOf(endpoint))) return <Empty title={say('test.paused')} />
  return (
    <Show loaded={types} lines={2}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={say('test.no_events')} />
        ) : (
          <>
            <Form
              action={say('test.send')}
              submit={(values) =>
                post<PortalMessage>(own(`endpoint/${endpoint.id}/send-example`), {
                  eventType: fieldText(values, 'event'),
                })
              }
              done={({ id }) => setMessageId(id)}
            >
              <EventChoice names={data.map(({ name }) => name)} />
            </Form>
            {messageId !== null && <Result key={messageId} messageId={messageId} />}
          </>
        )
      }
    </Show>
  )
}

function EventChoice({ names }: { names: readonly string[] }) {
  return (
    <label class="field endpoint-choice">
      <span>{say('test.event')}</span>
      <select name="event" defaultValue={query.value.get('event') ?? names[0]}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The result; polled until it is there. */
function Result({ messageId }: { messageId: string }) {
  const [isOver, setOver] = useState(false)
  const loaded = useLoad<List<PortalAttempt>>(own(`attempt/msg/${messageId}`), { limit: 1 }, isOver ? null : lookMs)
  const attempt = loaded.value?.data[0]
  if (attempt !== undefined && !isOver) setOver(true)
  return (
    <section class="panel" aria-live="polite">
      <h2>{say('test.result')}</h2>
      {attempt === undefined ? <p class="muted">{say('test.waiting')}</p> : <Answered attempt={attempt} />}
      <h3>{say('test.payload')}</h3>
      <Payload messageId={messageId} />
    </section>
  )
}

function Answered({ attempt }: { attempt: PortalAttempt }) {
  const { statusText, responseDurationMs, response, id } = attempt
  return (
    <>
      <p class="line">
        <AttemptCode attempt={attempt} />
        <span>{say(statusText === 'success' ? 'test.good' : 'test.bad')}</span>
        <span class="muted">{latency(responseDurationMs)}</span>
      </p>
      {response !== '' && <Code label={say('logs.response', { id })} text={laidOut(response)} />}
    </>
  )
}
