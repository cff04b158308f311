import { patch, post } from '../../api/call.ts'
import type { EventType } from '../../api/answers.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field, Form } from '../../parts/form/form.tsx'
import { pathOf } from './event-type-actions.ts'

interface DialogProps {
  readonly close: () => void
  readonly done: (type: EventType) => void
}

export function AddType({ close, done }: DialogProps) {
  return (
    <Dialog title="Add an event type" onClose={close}>
      <Form
        action="Add the type"
        onCancel={close}
        done={done}
        submit={(values) => post<EventType>('event-type', { name: values('name'), description: values('description') })}
      >
        <Field name="name" label="Name" placeholder="invoice.paid" hint="Words with dots between them." isRequired />
        <Description value="" />
      </Form>
    </Dialog>
  )
}

export function EditType({ type, close, done }: DialogProps & { readonly type: EventType }) {
  return (
    <Dialog title={`Edit ${type.name}`} onClose={close}>
      <Form
        action="Save"
        onCancel={close}
        done={done}
        submit={(values) =>
          patch<EventType>(pathOf(type.name), {
            description: values('description'),
            featureFlag: values('featureFlag') === '' ? null : values('featureFlag'),
            deprecated: values('deprecated') !== '',
          })
        }
      >
        <Description value={type.description} />
        <Field
          name="featureFlag"
          label="Feature flag"
          value={type.featureFlag ?? ''}
          hint="Optional. Only customers whose portal link has this flag see the type."
        />
        <label class="tickbox">
          <input type="checkbox" name="deprecated" defaultChecked={type.deprecated} />
          <span>
            Deprecated <small class="muted">Customers see that they should use another.</small>
          </span>
        </label>
      </Form>
    </Dialog>
  )
}

function Description({ value }: { value: string }) {
  return (
    <label class="field">
      <span>Description</span>
      <textarea
        class="prose"
        name="description"
        rows={3}
        maxLength={4096}
        required
        placeholder="An invoice was paid in full."
        defaultValue={value}
      />
      <small>Customers read it in their catalogue.</small>
    </label>
  )
}
