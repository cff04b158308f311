import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { problemOf } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'

export type Values = (name: string) => string

interface FormProps<Value> {
  readonly action: string
  readonly children: ComponentChildren
  /** Does the work; what it could not do is said beneath the fields. */
  readonly submit: (values: Values) => Promise<Answer<Value>>
  readonly done: (value: Value) => void
  readonly onCancel?: () => void
}

/** A form that says what the server has against it, and keeps what was typed. */
export function Form<Value>({ action, children, submit, done, onCancel }: FormProps<Value>) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function send(form: HTMLFormElement): Promise<void> {
    const data = new FormData(form)
    setBusy(true)
    const answer = await submit((name) => {
      const value = data.get(name)
      return typeof value === 'string' ? value.trim() : ''
    })
    setBusy(false)
    if (answer.kind !== 'answered') return setProblem(problemOf(answer))
    setProblem(null)
    done(answer.value)
  }

  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget)
      }}
    >
      {children}
      <p class="refusal" role="alert">
        {problem}
      </p>
      <div class="actions end">
        {onCancel !== undefined && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" class="button primary" disabled={isBusy}>
          {action}
        </button>
      </div>
    </form>
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
  // The types of JSX know each kind of input on its own, not a choice of them.
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

/** The names between commas or spaces. */
export function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '')
}
