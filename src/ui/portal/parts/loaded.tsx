import type { ComponentChildren } from 'preact'
import type { List } from '../../api/answers.ts'
import { problemOf } from '../../api/call.ts'
import type { Answer } from '../../api/call.ts'
import { connectionLost } from '../../state/connection.ts'
import { query, setQuery } from '../../state/router.ts'
import type { Loaded } from '../../state/use-load.ts'
import { say } from '../settings.ts'
import { Prose } from '../../parts/time.tsx'

/** The explanation of a call that did not succeed. */
export function problemText(answer: Exclude<Answer<unknown>, { kind: 'answered' }>): string {
  return answer.kind === 'unreachable' ? say('common.unreachable') : problemOf(answer)
}

/** Shows what was loaded; before that a skeleton, or the error with a button to try again. */
export function Show<Value>({
  loaded,
  lines = 6,
  children,
}: {
  loaded: Loaded<Value>
  lines?: number
  children: (value: Value) => ComponentChildren
}) {
  if (loaded.value !== null) {
    const isSaid = loaded.problem === null || connectionLost.value
    return (
      <>
        <div role="status" class="outdated">
          {!isSaid && (
            <p class="warning">
              <Prose text={say('common.outdated', { problem: loaded.problem })} />
            </p>
          )}
        </div>
        <div class={loaded.isStale ? 'stale' : undefined}>{children(loaded.value)}</div>
      </>
    )
  }
  if (loaded.problem === null) return <Skeleton lines={lines} />
  return (
    <div class="problem" role="alert">
      <h2>{say('common.unreadable')}</h2>
      <p>{connectionLost.value ? say('common.unreachable') : <Prose text={loaded.problem} />}</p>
      <button type="button" class="button" onClick={loaded.refresh}>
        {say('common.try_again')}
      </button>
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** The pages of a list, by cursor: the position is in the address. */
export function Pager({ list }: { list: List<unknown> }) {
  const isFirst = !query.value.has('iterator')
  if (isFirst && list.done) return null
  return (
    <nav class="pager" aria-label={say('common.pages')}>
      <button type="button" class="button" disabled={isFirst} onClick={() => setQuery({ iterator: null })}>
        {say('common.first_page')}
      </button>
      <button type="button" class="button" disabled={list.done} onClick={() => setQuery({ iterator: list.iterator })}>
        {say('common.next_page')}
      </button>
    </nav>
  )
}

function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="hidden">{say('common.loading')}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="bone" />
      ))}
    </div>
  )
}
