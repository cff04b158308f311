import { get, problemOf, put } from '../../../api/call.ts'
import type { EventType } from '../../../api/answers.ts'
import { jsonFault } from '../../../text/json-problem.ts'
import { checkSchema, exampleText, isObject, keepsExample, schemaOf, sentenceOf } from './draft.ts'
import type { Draft } from './draft.ts'

/** One version of a type's schema, as it was when it was read: null if there was none. */
export interface Edited {
  readonly name: string
  readonly version: string
  readonly was: unknown
}

export type Saved =
  | { readonly kind: 'saved'; readonly type: EventType }
  | { readonly kind: 'refused'; readonly says: string }
  /** Somebody else has changed it meanwhile; this is the type as it is now. */
  | { readonly kind: 'changed'; readonly type: EventType }

/** Saves a draft if the server accepts it; its example must match the schema. */
export async function saveDraft(edited: Edited, draft: Draft): Promise<Saved> {
  const problem = ownProblem(draft) ?? (await foundProblem(draft))
  return problem === null ? setSchema(edited, schemaOf(draft)) : { kind: 'refused', says: problem }
}

/** A schema of null removes the version. */
export async function setSchema({ name, version, was }: Edited, schema: unknown): Promise<Saved> {
  const at = `event-type/${encodeURIComponent(name)}`
  const answer = await put<EventType>(`${at}/schema/${encodeURIComponent(version)}`, { schema, was })
  if (answer.kind === 'answered') return { kind: 'saved', type: answer.value }
  if (answer.kind === 'refused' && answer.code === 'wrong_state') {
    const now = await get<EventType>(at)
    if (now.kind === 'answered') return { kind: 'changed', type: now.value }
  }
  return { kind: 'refused', says: problemOf(answer) }
}

/** Errors that need no request. */
function ownProblem(draft: Draft): string | null {
  if (jsonFault(draft.text) !== null) return 'Not saved: the schema is not JSON yet.'
  if (draft.ownExample === null) return null
  if (jsonFault(draft.ownExample) !== null) return 'Not saved: the example is not JSON yet.'
  if (isObject(JSON.parse(draft.text))) return null
  return 'Not saved: a schema that is only true or false cannot keep an example. Begin it with { and end it with }.'
}

async function foundProblem(draft: Draft): Promise<string | null> {
  const example: unknown = keepsExample(draft) ? JSON.parse(exampleText(draft)) : undefined
  const answer = await checkSchema(schemaOf(draft), example)
  if (answer.kind !== 'answered') return problemOf(answer)
  const { problem, exampleProblem } = answer.value
  if (problem !== null) return `Not saved: this is no JSON Schema. ${sentenceOf(problem)}`
  return exampleProblem === null
    ? null
    : `Not saved: the schema does not allow its example. ${sentenceOf(exampleProblem)}`
}
