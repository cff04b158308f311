import type { ComponentChildren } from 'preact'
import { connectionLost } from '../state/connection.ts'
import { Icon } from './icons.tsx'
import type { Loaded } from '../state/use-load.ts'
import { Prose } from './time.tsx'

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
    return (
      <>
        <Outdated problem={loaded.problem} />
        <div class={loaded.isStale ? 'stale' : undefined}>{children(loaded.value)}</div>
      </>
    )
  }
  if (loaded.problem === null) return <Skeleton lines={lines} />
  return (
    <div class="problem" role="alert">
      <h2>This could not be loaded</h2>
      <p>
        <Prose text={loaded.problem} />
      </p>
      <button type="button" class="button" onClick={loaded.refresh}>
        Try again
      </button>
    </div>
  )
}

/** The last refresh failed, but an earlier one did not. A lost connection is shown at the top of the page. */
function Outdated({ problem }: { problem: string | null }) {
  const isSaid = problem === null || connectionLost.value
  return (
    <div role="status" class="outdated">
      {!isSaid && (
        <p class="warning">
          <Icon name="broken" />
          This is older data, because the latest could not be loaded: <Prose text={problem} />
        </p>
      )}
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

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="bone" />
      ))}
    </div>
  )
}
