import type { SendSpan, Tracer } from '../../core/ports/tracer.ts'
import type { CheckedMessage } from './checked-message.ts'

/** Lets messages be stored with the span that each is sent in; as they are, and at once, if nobody traces. */
export function traced<Result>(
  tracer: Tracer,
  parent: string | null,
  messages: readonly CheckedMessage[],
  store: (messages: readonly CheckedMessage[]) => Promise<Result> | Result,
): Promise<Result> | Result {
  const spans = messages.map(({ application, message }) => tracer.send({ application, message, parent }))
  const begun = spans.filter((span) => span !== null)
  return begun.length === 0 ? store(messages) : ended(begun, () => store(messages.map(within(spans))))
}

function within(spans: readonly (SendSpan | null)[]): (checked: CheckedMessage, index: number) => CheckedMessage {
  return (checked, index) => {
    const traceContext = spans[index]?.traceContext ?? null
    return { ...checked, message: { ...checked.message, traceContext } }
  }
}

/** Up to the first wait it runs at once: whoever ends a transaction right after the call has the messages in it. */
async function ended<Result>(spans: readonly SendSpan[], store: () => Promise<Result> | Result): Promise<Result> {
  try {
    const result = await store()
    for (const span of spans) span.end()
    return result
  } catch (error) {
    for (const span of spans) span.fail(error)
    throw error
  }
}

/** The caller's own trace, as one text; null if it named none. */
export function parentOf({
  traceparent,
  tracestate = '',
}: {
  traceparent?: string
  tracestate?: string
}): string | null {
  if (traceparent === undefined) return null
  return tracestate === '' ? traceparent : `${traceparent} ${tracestate}`
}
