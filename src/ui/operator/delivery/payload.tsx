import { useState } from 'preact/hooks'
import type { DeliveryDetail } from '../../api/answers.ts'
import { bytes, prettyJson } from '../../text/format.ts'
import { Code } from '../../parts/code.tsx'
import { Panel } from '../../parts/page.tsx'

// A browser renders this much without a noticeable delay; the rest is shown on demand.
const shownCharacters = 20_000

/** The body of a message, formatted or exactly as it is sent. */
export function Payload({ message }: { message: DeliveryDetail['message'] }) {
  const pretty = message.binary ? null : prettyJson(message.payload)
  const [isRaw, setRaw] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const text = pretty === null || isRaw ? message.payload : pretty
  const shown = isWhole ? text : text.slice(0, shownCharacters)
  return (
    <Panel
      title="Payload"
      actions={
        <>
          <span class="muted">
            {bytes(message.bytes)} · {message.contentType}
          </span>
          {pretty !== null && (
            <button type="button" class="button small" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
              Raw
            </button>
          )}
        </>
      }
    >
      <Notes message={message} />
      {!message.erased && !message.binary && <Code label="Payload" text={shown} whole={text} />}
      {shown.length < text.length && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          Show all {bytes(text.length)}
        </button>
      )}
    </Panel>
  )
}

/** Why the body is missing or incomplete. */
function Notes({ message: { erased, binary, truncated, payload } }: { message: DeliveryDetail['message'] }) {
  return (
    <>
      {erased && <p>The content was erased, as its retention asks; the delivery stays on record.</p>}
      {binary && <p>This is not text. The API gives the exact bytes.</p>}
      {truncated && <p class="note">Only the first {bytes(payload.length)} are shown here.</p>}
    </>
  )
}
