import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Answer } from '../../api/call.ts'
import { say } from '../settings.ts'
import { problemText } from './loaded.tsx'

interface FormProps<Value> {
  readonly action: string
  readonly children: ComponentChildren
  /** Does the work; what it could not do is said beneath the fields. */
  readonly submit: (values: FormData) => Promise<Answer<Value>>
  readonly done: (value: Value) => void
  readonly onCancel?: () => void
}

/** A form that says what the server has against it, and keeps what was typed. */
export function Form<Value>({ action, children, submit, done, onCancel }: FormProps<Value>) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  async function send(form: HTMLFormElement): Promise<void> {
    setBusy(true)
    const answer = await submit(new FormData(form))
    setBusy(false)
    if (answer.kind !== 'answered') return setProblem(problemText(answer))
    setProblem(null)
    return done(answer.value)
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
            {say('common.cancel')}
          </button>
        )}
        <button type="submit" class="button primary" disabled={isBusy}>
          {action}
        </button>
      </div>
    </form>
  )
}

/** The text of a field, without the spaces around it. */
export function fieldText(values: FormData, name: string): string {
  const value = values.get(name)
  return typeof value === 'string' ? value.trim() : ''
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
