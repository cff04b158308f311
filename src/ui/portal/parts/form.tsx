import { useId } from 'preact/hooks'
import { SubmitForm } from '../../parts/form/submit-form.tsx'
import type { SubmitFormProps } from '../../parts/form/submit-form.tsx'
import { say } from '../settings.ts'
import { problemText } from './loaded.tsx'

/** A form of the portal, in the customer's words. */
export function Form<Value>(props: Omit<SubmitFormProps<Value>, 'cancel' | 'problemOf'>) {
  return <SubmitForm {...props} cancel={say('common.cancel')} problemOf={problemText} />
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly value?: string
  readonly placeholder?: string
  readonly isRequired?: boolean
}

export function Field({ name, label, hint, value = '', placeholder, isRequired = false }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        defaultValue={value}
        placeholder={placeholder}
        required={isRequired}
        autocomplete="off"
        spellcheck={false}
      />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}
