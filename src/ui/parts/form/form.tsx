import { problemOf } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import { SubmitForm, fieldText } from './submit-form.tsx'
import type { SubmitFormProps } from './submit-form.tsx'

export type Values = (name: string) => string

type FormProps<Value> = Omit<SubmitFormProps<Value>, 'submit' | 'cancel' | 'problemOf'> & {
  readonly submit: (values: Values) => Promise<Answer<Value>>
}

/** A form of the dashboard. */
export function Form<Value>({ submit, ...props }: FormProps<Value>) {
  return (
    <SubmitForm
      {...props}
      submit={(data) => submit((name) => fieldText(data, name))}
      cancel="Cancel"
      problemOf={problemOf}
    />
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly value?: string
  readonly kind?: 'text' | 'url' | 'number' | 'password' | 'datetime-local'
  readonly placeholder?: string
  readonly isRequired?: boolean
  readonly list?: string
}

export function Field({
  name,
  label,
  hint,
  value = '',
  kind = 'text',
  placeholder,
  isRequired = false,
  list,
}: FieldProps) {
  // The JSX types know each type of input on its own, but not a union of them.
  const type = { type: kind } as { type: 'text' }
  return (
    <label class="field">
      <span>{label}</span>
      <input
        name={name}
        {...type}
        defaultValue={value}
        placeholder={placeholder}
        required={isRequired}
        list={list}
        autocomplete="off"
        spellcheck={false}
      />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  )
}

/** The names in a text, separated by commas or spaces. */
export function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '')
}
