import type { EventType } from '../../api/answers.ts'
import type { Answer } from '../../api/call.ts'
import { useEventTypes } from '../api.ts'
import { Dialog } from '../../parts/modal.tsx'
import { Field, Form } from '../parts/form.tsx'
import { fieldText } from '../../parts/form/submit-form.tsx'
import { say } from '../settings.ts'

/** The settings of an endpoint that a customer can change. */
interface EndpointBody {
  readonly url: string
  readonly description: string
  readonly eventTypes: readonly string[] | null
}

interface EndpointFormProps<Value> {
  readonly title: string
  readonly action: string
  readonly endpoint?: { readonly url: string; readonly description: string; readonly types: readonly string[] | null }
  readonly submit: (body: EndpointBody) => Promise<Answer<Value>>
  readonly done: (value: Value) => void
  readonly close: () => void
}

/** Adds an endpoint, or changes one. */
export function EndpointForm<Value>({ title, action, endpoint, submit, done, close }: EndpointFormProps<Value>) {
  const catalogue = useEventTypes().value
  return (
    <Dialog title={title} onClose={close}>
      <Form action={action} submit={(values) => submit(bodyOf(values))} done={done} onCancel={close}>
        <Field
          name="url"
          label={say('endpoint.url')}
          hint={say('form.url_hint')}
          value={endpoint?.url ?? ''}
          placeholder="https://example.com/webhooks"
          isRequired
        />
        <Field name="description" label={say('endpoint.description')} value={endpoint?.description ?? ''} />
        {/* Rendered once the catalogue is loaded: earlier choices must not be lost. */}
        {catalogue !== null && <Events catalogue={catalogue.data} chosen={endpoint?.types ?? []} />}
      </Form>
    </Dialog>
  )
}

/** The catalogue as checkboxes, or names to type if there is none. Types that are not in the catalogue stay selected. */
function Events({ catalogue, chosen }: { catalogue: readonly EventType[]; chosen: readonly string[] }) {
  const names = [...new Set([...catalogue.map(({ name }) => name), ...chosen])]
  if (catalogue.length === 0)
    return (
      <Field name="names" label={say('endpoints.events')} hint={say('form.events_names')} value={chosen.join(', ')} />
    )
  return (
    <fieldset class="choices">
      <legend>{say('endpoints.events')}</legend>
      <small>{say('form.events_hint')}</small>
      <ul class="plain">
        {names.map((name) => (
          <li key={name}>
            <label class="choice">
              <input type="checkbox" name="event" value={name} defaultChecked={chosen.includes(name)} />
              {name}
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

function bodyOf(values: FormData): EndpointBody {
  const typed = fieldText(values, 'names')
    .split(/[\s,]+/)
    .filter((name) => name !== '')
  const ticked = values.getAll('event').filter((name) => typeof name === 'string')
  const eventTypes = [...ticked, ...typed]
  return {
    url: fieldText(values, 'url'),
    description: fieldText(values, 'description'),
    eventTypes: eventTypes.length === 0 ? null : eventTypes,
  }
}
