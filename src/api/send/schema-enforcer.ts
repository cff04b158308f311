import { expected } from '../../core/errors.ts'
import { newestSchema } from '../../core/message/event-type.ts'
import { textOf } from '../../core/message/message.ts'
import type { Message } from '../../core/message/message.ts'
import { validatorOf } from './json-schema.ts'
import type { Validate } from './json-schema.ts'
import type { ResourceParts } from '../parts.ts'
import { makeShortCache } from '../short-cache.ts'

/** Checks messages against the JSON Schemas of their event types; undefined types, and types without a schema, pass. */
export interface Enforcer {
  check(message: Pick<Message, 'type' | 'body'>, isEnvelope: boolean): Promise<void>
  /** Called when a definition was changed here. */
  forget(type: string): void
}

export function makeEnforcer({ directory, clock }: Pick<ResourceParts, 'directory' | 'clock'>): Enforcer {
  const validators = makeShortCache<Validate | null>(clock, async (type) => {
    const definition = await directory.eventType(type)
    const schema = definition === null ? null : newestSchema(definition)
    return schema === null ? null : validatorOf(schema)
  })

  return {
    async check({ type, body }, isEnvelope) {
      const validate = await validators.get(type)
      const problem = validate === null ? null : validate(contentOf(body, isEnvelope))
      if (problem === null) return
      throw expected('schema_mismatch', isEnvelope ? 'data' : 'payload', `what the schema of ${type} allows`, problem)
    },
    forget: validators.forget,
  }
}

/** The data, parsed from the bytes to be sent: the schema sees what the receiver gets. */
function contentOf(body: Uint8Array, isEnvelope: boolean): unknown {
  try {
    const content: unknown = JSON.parse(textOf(body))
    return isEnvelope ? (content as { data: unknown }).data : content
  } catch {
    throw expected('schema_mismatch', 'payload', 'JSON, because its event type has a schema', 'something else')
  }
}
