import { useEffect, useId, useState } from 'preact/hooks'
import { post } from '../../api/call.ts'
import { browserClock } from '../../clock.ts'
import { Icon } from '../../parts/icons.tsx'
import { jsonProblem } from '../../text/json-problem.ts'
import { Prose } from '../../parts/time.tsx'

interface PayloadEditorProps {
  readonly text: string
  readonly eventType: string
  readonly change: (text: string) => void
}

const pauseMs = 300

/** JSON that is checked as it is typed: first its syntax, then against the schema of the event type. */
export function PayloadEditor({ text, eventType, change }: PayloadEditorProps) {
  const says = useId()
  const broken = jsonProblem(text)
  const refused = useSchemaProblem(eventType, broken === null ? text : null)
  const problem = broken ?? refused
  return (
    <label class="field editor">
      <span>Payload</span>
      <textarea
        name="payload"
        rows={14}
        spellcheck={false}
        value={text}
        aria-invalid={broken !== null}
        aria-describedby={says}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <small id={says} role="status" class={broken === null ? (refused === null ? 'good' : 'warning') : 'bad'}>
        <Icon name={problem === null ? 'check' : 'broken'} />
        <span>
          <Prose text={problem ?? 'This can be sent.'} />
        </span>
      </small>
    </label>
  )
}

/** The errors of a payload against the schema, requested shortly after the last keystroke; null until they are known. */
function useSchemaProblem(eventType: string, text: string | null): string | null {
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    if (text === null || eventType === '') return setProblem(null)
    let isCurrent = true
    const cancel = browserClock.after(pauseMs, () => void ask())
    async function ask(): Promise<void> {
      const payload: unknown = JSON.parse(text ?? '{}')
      const answer = await post<{ problem: string | null }>('message/check', { eventType, payload })
      if (isCurrent) setProblem(answer.kind === 'answered' ? answer.value.problem : null)
    }
    return () => {
      isCurrent = false
      cancel()
    }
  }, [eventType, text])
  return problem === null ? null : `The schema of ${eventType} does not allow this: ${problem}`
}
