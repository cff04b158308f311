import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useChecked } from './use-checked.ts'
import type { Change } from './use-checked.ts'
import { Prose } from '../../../parts/time.tsx'

interface CheckedFieldProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly kind?: 'text' | 'url' | 'number'
  readonly placeholder?: string
  /** The number of lines of a multi-line field. */
  readonly rows?: number
  readonly isRequired?: boolean
  /** The path of the endpoint in the API. */
  readonly at: string
  readonly changeOf: (text: string) => Change
}

/** A field that shows, while somebody types, why the server would refuse the value. */
export function CheckedField(props: CheckedFieldProps) {
  const { name, label, value, hint, kind = 'text', placeholder, rows, isRequired = false, at, changeOf } = props
  const { type, problem } = useChecked(at, changeOf)
  const problemId = useId()
  const common = {
    name,
    placeholder,
    required: isRequired,
    defaultValue: value,
    spellcheck: false,
    'aria-invalid': problem !== null,
    'aria-describedby': problemId,
  }
  // The JSX types know each type of input on its own, but not a union of them.
  const kindOf = { type: kind } as { type: 'text' }
  return (
    <Checked problem={problem} problemId={problemId}>
      <label class="field">
        <span>{label}</span>
        {rows === undefined ? (
          <input {...common} {...kindOf} autocomplete="off" onInput={(event) => type(event.currentTarget.value)} />
        ) : (
          <textarea {...common} rows={rows} onInput={(event) => type(event.currentTarget.value)} />
        )}
        {hint !== undefined && <small>{hint}</small>}
      </label>
    </Checked>
  )
}

/** A field with its error beneath it. */
export function Checked(props: { problem: string | null; problemId: string; children: ComponentChildren }) {
  return (
    <div class="checked">
      {props.children}
      <p id={props.problemId} class="refusal" role="status">
        {props.problem !== null && <Prose text={props.problem} />}
      </p>
    </div>
  )
}
