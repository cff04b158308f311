import type { RecordedOutcome } from '../../../../core/delivery/attempt.ts'
import type { Attempt } from '../../../api/answers.ts'
import { bytes } from '../../../text/format.ts'
import { Code } from '../../../parts/code.tsx'
import { headersText } from './headers.ts'

// The request was never sent: no address, no connection, or none that is allowed.
const unsent: ReadonlySet<RecordedOutcome> = new Set(['dns', 'connect', 'tls', 'forbidden', 'authentication', 'proxy'])

/** The request of one attempt, collapsed. */
export function Request({ attempt: { number, outcome, request } }: { attempt: Attempt }) {
  if (request === null) return <p class="note">The request is not known any more.</p>
  const title = unsent.has(outcome) ? 'Request (not sent)' : 'Request'
  return (
    <details>
      <summary>
        {title} <span class="muted">{request.bytes === null ? 'body erased' : bytes(request.bytes)}</span>
      </summary>
      <Code label={`Request of attempt ${number}`} text={`${request.method} ${request.url}\n${headersText(request)}`} />
      <p class="note">
        {request.recorded
          ? 'Headers as they were sent.'
          : 'Headers are recorded of failed attempts only: these are built again, with what the endpoint has now.'}{' '}
        {request.bytes === null ? 'The body is erased.' : 'The body is the payload below.'}
      </p>
    </details>
  )
}
