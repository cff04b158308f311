import type { Attempt } from '../../../api/answers.ts'
import { bytes, counted } from '../../../text/format.ts'
import { Code } from '../../../parts/code.tsx'
import { headersText } from './headers.ts'

/** The response, or why there is none; collapsed unless it explains the failure. */
export function Response({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const { number, outcome, response, responseHeaders, omittedHeaders } = attempt
  const hasBody = response !== null && response !== ''
  if (outcome !== 'answered')
    return hasBody ? (
      <details open={isOpen}>
        <summary>Error</summary>
        <Code label={`Error of attempt ${number}`} text={response} />
      </details>
    ) : (
      <p class="note">No response.</p>
    )
  if (!hasBody && responseHeaders === null) return <p class="note">No response body was kept.</p>
  return (
    <details open={isOpen}>
      <summary>
        Response <span class="muted">{hasBody ? bytes(response.length) : 'without a body'}</span>
      </summary>
      {responseHeaders !== null && (
        <Code label={`Response headers of attempt ${number}`} text={headersText(responseHeaders)} />
      )}
      {omittedHeaders > 0 && (
        <p class="note">{counted(omittedHeaders, 'header')} more, left out because together they exceed 4 KiB.</p>
      )}
      {hasBody && <Code label={`Response body of attempt ${number}`} text={response} />}
    </details>
  )
}
