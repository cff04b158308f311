import { useEffect, useState } from 'preact/hooks'
import { get, post } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { EventType } from '../../api/answers.ts'
import { browserClock } from '../../clock.ts'
import { Combobox, ComboboxField } from '../../parts/form/combobox.tsx'
import { Field, Form } from '../../parts/form/form.tsx'
import type { Values } from '../../parts/form/form.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { notify } from '../../state/notices.ts'
import { go, href, query } from '../../state/router.ts'
import { exampleOf } from '../../text/schema-example.ts'
import { newestSchema } from '../../text/schema-versions.ts'
import { jsonProblem } from '../../text/json-problem.ts'
import { applicationChoices, eventTypeChoices } from '../search.ts'
import { PayloadEditor } from './payload-editor.tsx'

const pauseMs = 300

/** Sends one message by hand: application, type, and a payload that starts as the type's example. */
export function SendMessage() {
  const [eventType, setEventType] = useState(query.value.get('event_type') ?? '')
  const example = useExample(eventType)
  const [typed, setTyped] = useState<string | null>(null)
  // What somebody has typed is kept when another type is chosen.
  const text = typed ?? example
  return (
    <Page title="Send a message" above={<a href={href('messages')}>Messages</a>}>
      <div class="send">
        <Panel title="Message">
          <p class="muted">
            It is delivered like any other message, to every endpoint of the application that subscribes to its type.
          </p>
          <Form action="Send the message" submit={send} done={sent} onCancel={() => go('messages')}>
            <div class="two">
              <ComboboxField
                name="application"
                label="Application"
                value={query.value.get('application') ?? ''}
                choices={applicationChoices}
                placeholder="Name, uid or id"
                isRequired
              />
              <Combobox
                label="Event type"
                value={eventType}
                change={setEventType}
                choices={eventTypeChoices}
                placeholder="invoice.paid"
                isFree
                isRequired
              />
              <input type="hidden" name="eventType" value={eventType} />
            </div>
            <PayloadEditor text={text} eventType={eventType.trim()} change={setTyped} />
            {typed !== null && typed !== example && (
              <button type="button" class="button small" onClick={() => setTyped(null)}>
                Use the example again
              </button>
            )}
            <Field
              name="key"
              label="Idempotency key"
              hint="Optional. A second message with the same key is not sent; the response is that of the first."
            />
          </Form>
        </Panel>
      </div>
    </Page>
  )
}

/** The example of a type's newest schema; an empty object where there is none. */
function useExample(eventType: string): string {
  const name = useLater(eventType.trim())
  const [example, setExample] = useState('{}')
  useEffect(() => {
    if (name === '') return setExample('{}')
    const leaving = new AbortController()
    async function read(): Promise<void> {
      const answer = await get<EventType>(`event-type/${encodeURIComponent(name)}`, {}, leaving.signal)
      if (leaving.signal.aborted) return
      const schema = answer.kind === 'answered' ? newestSchema(answer.value.schemas) : undefined
      setExample(schema === undefined ? '{}' : JSON.stringify(exampleOf(schema), null, 2))
    }
    void read()
    return () => leaving.abort()
  }, [name])
  return example
}

/** A value once it has not changed for a moment. */
function useLater(value: string): string {
  const [rested, setRested] = useState(value)
  useEffect(() => browserClock.after(pauseMs, () => setRested(value)), [value])
  return rested
}

async function send(values: Values): Promise<Answer<{ id: string }>> {
  const text = values('payload')
  const problem = jsonProblem(text)
  if (problem !== null) return { kind: 'refused', status: 0, code: 'payload', detail: problem }
  const key = values('key')
  // As text, so that it is sent as it was typed: reading it as JSON would round large numbers.
  const body = { eventType: values('eventType'), payload: {}, transformationsParams: { rawPayload: text } }
  return post(
    `app/${encodeURIComponent(values('application'))}/msg`,
    body,
    key === '' ? {} : { 'idempotency-key': key },
  )
}

function sent({ id }: { id: string }): void {
  notify('good', 'Sent.')
  go(`messages/${id}`)
}
