import { post } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import type { Application } from '../../api/answers.ts'
import { go } from '../../state/router.ts'
import { session } from '../../state/session.ts'
import { Dialog } from '../../parts/modal.tsx'
import { ComboboxField } from '../../parts/form/combobox.tsx'
import { applicationChoices, eventTypeChoices } from '../search.ts'
import { Field, Form, namesIn } from '../../parts/form/form.tsx'
import type { Values } from '../../parts/form/form.tsx'

/** Adds an endpoint, and creates its application if it does not exist. */
export function EndpointForm({ onClose }: { onClose: () => void }) {
  const own = session.value?.caller.applicationId ?? null

  async function submit(values: Values): Promise<Answer<{ id: string }>> {
    const application = own === null ? await applicationNamed(values('application')) : own
    if (typeof application !== 'string') return application
    const types = namesIn(values('types'))
    return post(`app/${encodeURIComponent(application)}/endpoint`, {
      url: values('url'),
      description: values('description'),
      ...(types.length > 0 ? { eventTypes: types } : {}),
    })
  }

  return (
    <Dialog title="Add an endpoint" onClose={onClose}>
      <Form action="Add the endpoint" submit={submit} done={({ id }) => go(`endpoints/${id}`)} onCancel={onClose}>
        {own === null && (
          <ComboboxField
            name="application"
            label="Application"
            hint="The customer it belongs to. A new name creates a new application."
            placeholder="acme"
            choices={applicationChoices}
            isFree
            isRequired
          />
        )}
        <Field name="url" label="URL" kind="url" placeholder="https://example.com/hooks" isRequired />
        <ComboboxField
          name="types"
          label="Event types"
          choices={eventTypeChoices}
          isMany
          hint="Separated by commas; empty means all."
          placeholder="invoice.paid, invoice.voided"
        />
        <Field name="description" label="Description" />
      </Form>
    </Dialog>
  )
}

/** The id of an application by id or uid; one with this uid is created if there is none. */
async function applicationNamed(name: string): Promise<string | Exclude<Answer<unknown>, { kind: 'answered' }>> {
  if (name.startsWith('app_')) return name
  const created = await post<Application>('app?get_if_exists=true', { name, uid: name })
  return created.kind === 'answered' ? created.value.id : created
}
