import type { SchemaObject } from './compile.ts'
import type { Check, SchemaProblem, Target } from './check.ts'
import { isEqual } from './equality.ts'
import { formats } from './formats.ts'

const mostShown = 8
const mostShownLength = 40
const charactersPerStep = 16

/** Keywords about any value: type, const, enum. */
export function valueProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const { type, enum: choices } = schema
  const { value, place } = target
  if (type !== undefined && !listOf(type).some((each) => isOfType(value, each)))
    return { place, says: `It is ${typeOf(value)}, and must be ${listOf(type).join(' or ')}.` }
  if (schema['const'] !== undefined && !isEqual(check, value, schema['const']))
    return { place, says: `It must be ${shown([schema['const']])}.` }
  if (Array.isArray(choices) && !choices.some((each) => isEqual(check, value, each)))
    return { place, says: `It must be one of ${shown(choices)}.` }
  return null
}

export function numberProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const { place } = target
  const value = target.value as number
  const { multipleOf } = schema
  const broken = boundsOf(check, schema).find(({ limit, holds }) => typeof limit === 'number' && !holds(value, limit))
  if (broken !== undefined) return { place, says: `It is not ${broken.wanted} ${String(broken.limit)}.` }
  if (typeof multipleOf === 'number' && !isMultiple(check, value, multipleOf))
    return { place, says: `It is no multiple of ${multipleOf}.` }
  return null
}

interface Bound {
  readonly limit: unknown
  readonly wanted: string
  readonly holds: (value: number, limit: number) => boolean
}

/** In draft 4 exclusiveness is a flag next to the limit; since then it is a separate limit. */
function boundsOf({ schema: { draft } }: Check, schema: SchemaObject): readonly Bound[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const above = draft === '4' && exclusiveMinimum === true ? minimum : exclusiveMinimum
  const below = draft === '4' && exclusiveMaximum === true ? maximum : exclusiveMaximum
  return [
    { limit: minimum, wanted: 'at least', holds: (value, limit) => value >= limit },
    { limit: maximum, wanted: 'at most', holds: (value, limit) => value <= limit },
    { limit: above, wanted: 'more than', holds: (value, limit) => value > limit },
    { limit: below, wanted: 'less than', holds: (value, limit) => value < limit },
  ]
}

export function stringProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const { place } = target
  const value = target.value as string
  const { pattern: source, format } = schema
  const long = lengthProblem(check, schema, target)
  if (long !== null) return long
  const pattern = typeof source === 'string' ? check.schema.patterns.get(source) : undefined
  if (pattern !== undefined) {
    check.cost.spend(pattern.cost * (value.length + 1))
    if (!pattern.test(value)) return { place, says: `It does not match the pattern ${String(source)}.` }
  }
  const isOfFormat = typeof format === 'string' ? formats.get(format) : undefined
  if (isOfFormat === undefined) return null
  check.cost.spend(value.length)
  return isOfFormat(value) ? null : { place, says: `It is not of the format ${String(format)}.` }
}

function lengthProblem(check: Check, schema: SchemaObject, { value, place }: Target): SchemaProblem | null {
  const { minLength, maxLength } = schema
  if (typeof minLength !== 'number' && typeof maxLength !== 'number') return null
  const length = characters(check, value as string)
  if (typeof minLength === 'number' && length < minLength)
    return { place, says: `It has ${length} characters, fewer than ${minLength}.` }
  if (typeof maxLength === 'number' && length > maxLength)
    return { place, says: `It has ${length} characters, more than ${maxLength}.` }
  return null
}

/** Characters outside the Basic Multilingual Plane are two code units of a string. */
function characters(check: Check, text: string): number {
  check.cost.spend(text.length / charactersPerStep)
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0)
}

function listOf(type: unknown): readonly unknown[] {
  return Array.isArray(type) ? type : [type]
}

function isOfType(value: unknown, type: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Calculates with integers: 0.3 is a multiple of 0.1, though not in binary. */
function isMultiple(check: Check, value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || divisor <= 0) return false
  const [one, other] = [decimal(value), decimal(divisor)]
  const scale = Math.min(one.exponent, other.exponent)
  check.cost.spend((one.exponent + other.exponent - 2 * scale) / charactersPerStep)
  return (
    (one.digits * 10n ** BigInt(one.exponent - scale)) % (other.digits * 10n ** BigInt(other.exponent - scale)) === 0n
  )
}

function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [coefficient = '0', exponent = '0'] = Math.abs(value).toString().split('e')
  const [, fraction = ''] = coefficient.split('.')
  return { digits: BigInt(coefficient.replace('.', '')), exponent: Number(exponent) - fraction.length }
}

/** The first few values, each shortened: a list can be as long as its schema. */
function shown(values: readonly unknown[]): string {
  const texts = values.slice(0, mostShown).map((each) => (JSON.stringify(each) ?? '').slice(0, mostShownLength))
  return `${texts.join(', ')}${values.length > mostShown ? ` and ${values.length - mostShown} more` : ''}`
}
