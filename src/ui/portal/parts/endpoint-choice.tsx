import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Endpoint, List } from '../../api/answers.ts'
import { query, setQuery } from '../../state/router.ts'
import { useLoad } from '../../state/use-load.ts'
import { shortUrl } from '../format.ts'
import { say } from '../settings.ts'
import { Empty, Show } from './loaded.tsx'

const mostShown = 50

interface EndpointChoiceProps {
  readonly label: string
  /** What is shown if there is no endpoint yet. */
  readonly none: string
  readonly children: (endpoint: Endpoint) => ComponentChildren
}

/** One of the customer's endpoints, by its id in the address; the first unless another is chosen. If there are many, it is searched for. */
export function EndpointChoice({ label, none, children }: EndpointChoiceProps) {
  const id = query.value.get('endpoint')
  const [text, setText] = useState('')
  const found = useLoad<List<Endpoint>>('endpoint', { text, limit: mostShown })
  // The one in the address may not be among the first.
  const named = useLoad<List<Endpoint> | Endpoint>(id === null ? 'endpoint' : `endpoint/${id}`, {
    limit: id === null ? 1 : null,
  })
  return (
    <Show loaded={named}>
      {(answer) => {
        const chosen = 'data' in answer ? answer.data[0] : answer
        if (chosen === undefined) return <Empty title={none} />
        const others = (found.value?.data ?? []).filter((each) => each.id !== chosen.id)
        const hasMore = text !== '' || found.value?.done === false
        return (
          <>
            <div class="line">
              <label class="field endpoint-choice">
                <span>{label}</span>
                <select
                  value={chosen.id}
                  onChange={(event) => setQuery({ endpoint: event.currentTarget.value, iterator: null })}
                >
                  {[chosen, ...others].map((each) => (
                    <option key={each.id} value={each.id}>
                      {shortUrl(each.url)}
                    </option>
                  ))}
                </select>
              </label>
              {hasMore && <Search text={text} change={setText} />}
            </div>
            {children(chosen)}
          </>
        )
      }}
    </Show>
  )
}

function Search({ text, change }: { text: string; change: (text: string) => void }) {
  return (
    <label class="field">
      <span>{say('logs.find')}</span>
      <input type="search" value={text} onChange={(event) => change(event.currentTarget.value.trim())} />
    </label>
  )
}
