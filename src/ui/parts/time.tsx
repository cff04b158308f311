import { now } from '../state/now.ts'
import { ago, instant, until } from '../text/format.ts'

/** How long ago something was; the exact time is behind it. */
export function Ago({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  return (
    <time dateTime={at} title={instant(at)}>
      {ago(at, now.value)}
    </time>
  )
}

/** A countdown. */
export function Until({ at }: { at: string }) {
  return (
    <time dateTime={at} title={instant(at)}>
      {until(at, now.value)}
    </time>
  )
}
