import type { RecordedOutcome } from '../../../core/delivery/attempt.ts'
import type { Attempt, SentRequest } from '../../api/answers.ts'
import { bytes, instant } from '../../text/format.ts'
import { Code } from '../../parts/code.tsx'

// There was nobody to send it to: no address, no connection, or none that is allowed.
const unsent: ReadonlySet<RecordedOutcome> = new Set(['dns', 'connect', 'tls', 'forbidden', 'authentication', 'proxy'])

/** What one attempt sent, folded away. */
export function Sent({ attempt: { number, startedAt, outcome, request } }: { attempt: Attempt }) {
  if (request === null) return <p class="note">What was sent cannot be told any more.</p>
  const title = unsent.has(outcome) ? 'What we would have sent' : 'What we sent'
  return (
    <details>
      <summary>
        {title} <span class="muted">({request.bytes === null ? 'body erased' : bytes(request.bytes)})</span>
      </summary>
      <Code label={`${title} at attempt ${number}`} text={headOf(request)} />
      <p class="note">
        Begun at {instant(startedAt)}.{' '}
        {request.bytes === null ? 'The body is erased.' : `The body is the payload below, ${bytes(request.bytes)}.`} An
        attempt keeps its time and URL only: headers that the endpoint adds are those set now.
      </p>
    </details>
  )
}

function headOf({ method, url, headers, sensitive }: SentRequest): string {
  const lines = [...Object.entries(headers), ...sensitive.map((name) => [name, '(not shown)'])].map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`${method} ${url}`, ...lines].join('\n')
}
