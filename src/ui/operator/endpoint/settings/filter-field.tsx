import { useEffect, useId, useState } from 'preact/hooks'
import { post } from '../../../api/call.ts'
import type { EndpointDetail, FilterTrial } from '../../../api/answers.ts'
import { Icon } from '../../../parts/icons.tsx'
import { Ago } from '../../../parts/time.tsx'
import { href } from '../../../state/router.ts'
import { count } from '../../../text/format.ts'
import { Checked } from './checked-field.tsx'
import { useChecked } from './use-checked.ts'
import type { Change } from './use-checked.ts'

interface FilterFieldProps {
  readonly endpoint: Pick<EndpointDetail, 'applicationId' | 'filter'>
  readonly at: string
}

/** A payload filter, tried on recent messages before it is saved. */
export function FilterField({ endpoint, at }: FilterFieldProps) {
  const saved = endpoint.filter === null ? '' : JSON.stringify(endpoint.filter, null, 2)
  const [text, setText] = useState(saved)
  const { type, problem, isChecked } = useChecked(at, filterChange)
  const problemId = useId()
  return (
    <Checked problem={problem} problemId={problemId}>
      <label class="field">
        <span>Payload filter</span>
        <textarea
          name="filter"
          rows={4}
          spellcheck={false}
          defaultValue={saved}
          placeholder='{"path": "total", "greater": 100}'
          aria-invalid={problem !== null}
          aria-describedby={problemId}
          onInput={({ currentTarget: { value } }) => {
            setText(value)
            type(value)
          }}
        />
        <small>JSON. Only payloads that match it are sent here; empty means all.</small>
      </label>
      <Trial applicationId={endpoint.applicationId} text={isChecked || text === saved ? text.trim() : ''} />
    </Checked>
  )
}

/** Tries a valid filter; shows nothing without one. */
function Trial({ applicationId, text }: { applicationId: string; text: string }) {
  const [tried, setTried] = useState<{ text: string; trial: FilterTrial } | null>(null)
  useEffect(() => {
    if (text === '') return undefined
    let isOver = false
    void tryFilter(applicationId, filterIn(text)).then((trial) => {
      if (!isOver && trial !== null) setTried({ text, trial })
    })
    return () => {
      isOver = true
    }
  }, [applicationId, text])
  if (text === '' || tried === null || tried.text !== text) return <p class="trial" role="status" />
  return <TrialResult trial={tried.trial} />
}

function TrialResult({ trial: { tried, matching, messages } }: { trial: FilterTrial }) {
  return (
    <div class="trial">
      <p role="status" class={tried > 0 && matching === 0 ? 'warning' : undefined}>
        {tried === 0 ? 'There is no message yet to try it on.' : matchSentence(matching, tried)}
      </p>
      {tried > 0 && (
        <details>
          <summary>Which ones</summary>
          <ul class="plain tried">
            {messages.map(({ id, eventType, createdAt, matches }) => (
              <li key={id} class={matches ? 'good' : 'idle'}>
                <Icon name={matches ? 'check' : 'cross'} />
                <span class="hidden">{matches ? 'matches' : 'does not match'}</span>
                <a href={href(`deliveries?message=${id}`)}>{eventType}</a>
                <span class="muted">
                  <Ago at={createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function matchSentence(matching: number, tried: number): string {
  return `Matches ${count(matching)} of the last ${count(tried)} messages of this application.`
}

/** Null if it could not be tried. */
export async function tryFilter(applicationId: string, filter: unknown): Promise<FilterTrial | null> {
  const answer = await post<FilterTrial>(`app/${applicationId}/try-filter`, { filter })
  return answer.kind === 'answered' ? answer.value : null
}

function filterChange(text: string): Change {
  const filter = filterIn(text)
  if (filter !== undefined) return { body: { filter } }
  return { problem: 'The filter must be a JSON object, such as {"path": "total", "greater": 100}.' }
}

/** Null for no filter, undefined for one that is not a JSON object. */
export function filterIn(text: string): object | null | undefined {
  if (text === '') return null
  try {
    const filter: unknown = JSON.parse(text)
    return typeof filter === 'object' && filter !== null && !Array.isArray(filter) ? filter : undefined
  } catch {
    return undefined
  }
}
