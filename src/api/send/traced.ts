import type { SendSpan, Tracer } from '../../core/ports/tracer.ts'
import type { Sent } from '../../engine/send/envelope.ts'
import type { CheckedMessage } from './checked-message.ts'

/** Stores messages with the span of their send; unchanged and at once if tracing is off. */
export function traced<Result>(
  tracer: Tracer,
  parent: string | null,
  messages: readonly CheckedMessage[],
  store: (messages: readonly CheckedMessage[]) => Promise<Result> | Result,
): Promise<Result> | Result {
  const spans = messages.map(({ application, message }) => tracer.send({ application, message, parent }))
  const begun = spans.filter((span) => span !== null)
  return begun.length === 0
    ? store(messages)
    : ended(begun, () => store(messages.map((checked, index) => within(checked, spans[index] ?? null))))
}

/** The same for a single message. */
export function tracedOne(
  tracer: Tracer,
  parent: string | null,
  checked: CheckedMessage,
  store: (checked: CheckedMessage) => Promise<Sent>,
): Promise<Sent> {
  const { application, message } = checked
  const span = tracer.send({ application, message, parent })
  return span === null ? store(checked) : ended([span], () => store(within(checked, span)))
}

function within(checked: CheckedMessage, span: SendSpan | null): CheckedMessage {
  return { ...checked, message: { ...checked.message, traceContext: span?.traceContext ?? null } }
}

/** Runs synchronously up to the first await: a transaction that ends right after the call contains the messages. */
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

/** The caller's own trace as one text; null if there is none. */
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
