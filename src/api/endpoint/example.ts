import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import { newestSchema } from '../../core/message/event-type.ts'
import type { Message } from '../../core/message/message.ts'
import type { EndpointParts } from './parts.ts'

/** Sends an endpoint the example of an event type's schema. */
export async function sendExample(
  { directory, sendTo }: EndpointParts,
  endpoint: Endpoint,
  eventType: string,
): Promise<Message> {
  const definition = await directory.eventType(eventType)
  const id = await sendTo(
    endpoint,
    eventType,
    JSON.stringify(exampleOf(definition === null ? null : newestSchema(definition))),
  )
  const message = await directory.message(id)
  if (message !== null) return message
  throw expected('not_found', 'message', 'there right after it was sent', id)
}

/** A schema's first example; a harmless one if it has none. */
function exampleOf(schema: unknown): unknown {
  const { examples, example }: { examples?: unknown; example?: unknown } =
    typeof schema === 'object' && schema !== null ? schema : {}
  const first: unknown = Array.isArray(examples) ? examples[0] : example
  return first ?? { success: true }
}
