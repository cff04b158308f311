import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Answer } from '../../api/call.ts'
import { Refusal } from '../refusal.tsx'

export interface SubmitFormProps<Value> {
  readonly action: string
  readonly children: ComponentChildren
  /** Submits the values; an error is shown beneath the fields. */
  readonly submit: (values: FormData) => Promise<Answer<Value>>
  readonly done: (value: Value) => void
  readonly onCancel?: (() => void) | undefined
  /** The label of the button that closes it. */
  readonly cancel: string
  /** The explanation of a call that did not succeed. */
  readonly problemOf: (answer: Exclude<Answer<unknown>, { kind: 'answered' }>) => string
}

/** A form that shows the server's errors, and keeps what was typed. */
export function SubmitForm<Value>(props: SubmitFormProps<Value>) {
  const { action, children, submit, done, onCancel, cancel, problemOf } = props
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function send(form: HTMLFormElement): Promise<void> {
    setBusy(true)
    const answer = await submit(new FormData(form))
    setBusy(false)
    if (answer.kind !== 'answered') return setProblem(problemOf(answer))
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
      <Refusal problem={problem} />
      <div class="actions end">
        {onCancel !== undefined && (
          <button type="button" class="button" onClick={onCancel}>
            {cancel}
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
