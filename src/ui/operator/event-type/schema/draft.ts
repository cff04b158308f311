import { useEffect, useState } from 'preact/hooks'
import { post } from '../../../api/call.ts'
import type { SchemaCheck, SchemaProblem } from '../../../api/answers.ts'
import { browserClock } from '../../../clock.ts'
import type { Verdict } from '../../../parts/form/json-editor.tsx'
import { positionAt } from '../../../text/json-place.ts'
import { jsonFault, notJson } from '../../../text/json-problem.ts'
import { exampleOf } from '../../../text/schema-example.ts'

const pauseMs = 300

/** One version as it is in the editor. */
export interface Draft {
  readonly text: string
  /** The edited example; null as long as it comes from the schema or is generated. */
  readonly ownExample: string | null
}

export function draftOf(schema: unknown): Draft {
  return { text: pretty(schema), ownExample: null }
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** The example of a draft: edited, stored in the schema, or generated from it. */
export function exampleText({ text, ownExample }: Draft): string {
  if (ownExample !== null) return ownExample
  return jsonFault(text) === null ? pretty(exampleOf(JSON.parse(text))) : ''
}

/** Whether an example is stored in the schema, or only generated from it. */
export function keepsExample({ text, ownExample }: Draft): boolean {
  return ownExample !== null || firstExample(parsed(text)) !== undefined
}

/** What is saved: the schema, with the edited example first in its `examples`. Undefined if it is not JSON. */
export function schemaOf({ text, ownExample }: Draft): unknown {
  const schema = parsed(text)
  if (ownExample === null || !isObject(schema) || jsonFault(ownExample) !== null) return schema
  const others = Array.isArray(schema['examples']) ? schema['examples'].slice(1) : []
  return { ...schema, examples: [JSON.parse(ownExample), ...others] }
}

/** Asks the server shortly after the last keystroke; null until it has answered. */
export function useSchemaCheck(draft: Draft): SchemaCheck | null {
  const { text } = draft
  const example = exampleText(draft)
  const asked = `${text}\n${example}`
  const [known, setKnown] = useState<{ readonly asked: string; readonly check: SchemaCheck } | null>(null)
  useEffect(() => {
    if (jsonFault(text) !== null) return undefined
    let isOver = false
    const cancel = browserClock.after(pauseMs, () => void look())
    async function look(): Promise<void> {
      const answer = await checkSchema(parsed(text), parsed(example))
      if (!isOver && answer.kind === 'answered') setKnown({ asked, check: answer.value })
    }
    return () => {
      isOver = true
      cancel()
    }
  }, [asked])
  return known?.asked === asked ? known.check : null
}

export function checkSchema(schema: unknown, example: unknown) {
  return post<SchemaCheck>('event-type/check-schema', { schema, ...(example !== undefined && { example }) })
}

export function schemaVerdict({ text }: Draft, check: SchemaCheck | null): Verdict {
  if (text.trim() === '') return bad('Nothing is here yet. A schema is a JSON object; the least is {}.')
  const fault = jsonFault(text)
  if (fault !== null) return bad(notJson(text, fault), fault)
  if (check === null) return checking
  if (check.problem !== null) return bad(sentenceOf(check.problem), positionAt(text, check.problem.pointer))
  return { tone: 'good', says: 'This is a JSON Schema.', position: null }
}

export function exampleVerdict(draft: Draft, check: SchemaCheck | null): Verdict {
  const example = exampleText(draft)
  if (jsonFault(draft.text) !== null) return { tone: 'idle', says: 'Waits for the schema.', position: null }
  const fault = jsonFault(example)
  if (fault !== null) return bad(notJson(example, fault), fault)
  if (check === null) return checking
  if (check.problem !== null) return { tone: 'idle', says: 'Waits for the schema.', position: null }
  const isKept = keepsExample(draft)
  if (check.exampleProblem === null)
    return {
      tone: 'good',
      says: isKept ? 'The schema allows this.' : 'Made from the schema, which allows it.',
      position: null,
    }
  const says = `The schema does not allow this: ${sentenceOf(check.exampleProblem)}`
  const position = positionAt(example, check.exampleProblem.pointer)
  return isKept
    ? bad(says, position)
    : { tone: 'warning', says: `${says} It was made from the schema: write one that fits.`, position }
}

const checking: Verdict = { tone: 'idle', says: 'Checking …', position: null }

function bad(says: string, position: number | null = null): Verdict {
  return { tone: 'bad', says, position }
}

/** "#/properties/total/type: It must be one of …": the location first. */
export function sentenceOf({ pointer, message }: SchemaProblem): string {
  return pointer === '' || pointer === '#' ? message : `${pointer}: ${message}`
}

function parsed(text: string): unknown {
  return jsonFault(text) === null ? JSON.parse(text) : undefined
}

function firstExample(schema: unknown): unknown {
  return isObject(schema) && Array.isArray(schema['examples']) ? schema['examples'][0] : undefined
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
