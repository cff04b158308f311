import { nameOf } from './described.ts'
import type { Schema, Schemas } from './described.ts'
import { valuesByName, valuesBySchema } from './example-values.ts'

/** For a request, required fields and those that people often send; for a response, everything. */
type Side = 'sent' | 'answered'

interface Place {
  readonly schemas: Schemas
  readonly side: Side
  /** The name of the field, and of the closest named schema. */
  readonly field: string
  readonly within: string
  readonly depth: number
}

const deepest = 12

/** A value that matches a schema: its own example, or the field's usual value, or the simplest one. */
export function exampleOf(schema: Schema, schemas: Schemas, side: Side): unknown {
  return at(schema, { schemas, side, field: '', within: '', depth: 0 })
}

function at(schema: Schema, place: Place): unknown {
  if (place.depth > deepest) return null
  return givenBy(schema) ?? usualOf(schema, place) ?? fittingOf(schema, place)
}

function givenBy({ example, examples, const: only }: Schema): unknown {
  return example ?? examples?.[0] ?? only
}

function fittingOf(schema: Schema, place: Place): unknown {
  const name = nameOf(schema)
  if (name !== undefined) return at(place.schemas[name] ?? {}, { ...place, within: name, depth: place.depth + 1 })
  const inner = firstOf(schema)
  if (inner === undefined) return schema.default ?? schema.enum?.[0] ?? plainest(schema, place)
  return isOftenNull(schema, place) ? null : at(inner, place)
}

/** An optional field of a response without a known value. */
function isOftenNull({ anyOf, type }: Schema, { side }: Place): boolean {
  return side === 'answered' && (anyOf?.some((each) => each.type === 'null') ?? [type].flat().includes('null'))
}

/** By the name of the field, if the schema allows the type of the value. */
function usualOf(schema: Schema, { field, within, schemas }: Place): unknown {
  const own = valuesBySchema.find(([pattern, values]) => pattern.test(within) && field in values)?.[1]
  const usual = own === undefined ? valuesByName[field] : own[field]
  return usual !== undefined && allows(schema, usual, schemas) ? usual : undefined
}

function allows(schema: Schema, value: unknown, schemas: Schemas): boolean {
  const name = nameOf(schema)
  if (name !== undefined) return allows(schemas[name] ?? {}, value, schemas)
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return either.some((each) => allows(each, value, schemas))
  if (schema.enum !== undefined) return schema.enum.includes(value)
  return schema.type === undefined || [schema.type].flat().includes(typeOf(value))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Of several alternatives the first that is not null. */
function firstOf({ anyOf, oneOf, allOf }: Schema): Schema | undefined {
  return (anyOf ?? oneOf ?? allOf)?.find(({ type }) => type !== 'null')
}

function plainest(schema: Schema, place: Place): unknown {
  if (isOftenNull(schema, place)) return null
  const type = [schema.type].flat()[0] ?? (schema.properties === undefined ? '' : 'object')
  return plainestOf.get(type)?.(schema, { ...place, depth: place.depth + 1 }) ?? null
}

const plainestOf: ReadonlyMap<string, (schema: Schema, place: Place) => unknown> = new Map([
  ['object', plainestObject],
  ['array', ({ items }: Schema, place: Place) => (items === undefined ? [] : [at(items, place)])],
  ['string', ({ format }: Schema) => (format === undefined ? 'text' : (byFormat.get(format) ?? 'text'))],
  ['integer', plainestNumber],
  ['number', plainestNumber],
  ['boolean', () => false],
])

const byFormat: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-05-04T12:00:00Z'],
  ['uri', 'https://example.com/webhooks'],
  ['email', 'ada@example.com'],
])

function plainestNumber({ minimum }: Schema): number {
  return minimum ?? 0
}

function plainestObject(schema: Schema, place: Place): unknown {
  const fields = Object.entries(schema.properties ?? {}).filter(([name, field]) => isShown(schema, name, field, place))
  return Object.fromEntries(
    fields.map(([field, inner]) => [
      field,
      // An unnamed schema is known by the name of its field.
      at(inner, { ...place, field, within: inner.properties === undefined ? place.within : field }),
    ]),
  )
}

function isShown({ required = [] }: Schema, name: string, field: Schema, { side }: Place): boolean {
  if (required.includes(name)) return true
  if (field.deprecated === true) return false
  return side === 'answered' || (!isRarelyGiven.has(name) && name in valuesByName)
}

/** Fields with a usual value in responses that few clients send. */
const isRarelyGiven: ReadonlySet<string> = new Set([
  'appId',
  'eventId',
  'expiresAt',
  'sessionId',
  'metadata',
  'status',
  'policy',
  'throttleRate',
  'deliverAt',
  'until',
])
