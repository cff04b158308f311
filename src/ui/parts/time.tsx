import { ago, instant, shortly, until } from '../text/format.ts'
import { inProse } from '../text/prose.ts'
import { now } from '../state/now.ts'

/** How long ago something was; the exact time is shown on hover. */
export function Ago({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) return <span class="muted">{none}</span>
  return (
    <time dateTime={at} title={instant(at)}>
      {ago(at, now.value)}
    </time>
  )
}

/** How long something has lasted, after "for"; its start is shown on hover. */
export function Lasting({ since }: { since: string }) {
  return (
    <time dateTime={since} title={instant(since)}>
      {shortly(now.value - Date.parse(since))}
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

/** A sentence of the API with relative times; the exact ones are shown on hover. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {inProse(text, now.value).map((piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <time key={piece.at} dateTime={piece.at} title={instant(piece.at)}>
            {piece.text}
          </time>
        ),
      )}
    </>
  )
}
