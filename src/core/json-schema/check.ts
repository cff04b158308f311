import type { CompiledSchema, JsonSchema } from './compile.ts'
import type { Cost } from './cost.ts'

/** What is wrong with a value, and where in it. */
export interface SchemaProblem {
  readonly place: Place
  readonly says: string
}

/** A place in the checked value, from the inside out; null for the whole value. */
export type Place = { readonly within: Place; readonly name: string | number } | null

/** The names and items of one object or list that some part of the schema has evaluated. */
export type Seen = Set<string | number>

/** One check of one value. */
export interface Check {
  readonly schema: CompiledSchema
  readonly cost: Cost
  /** The outermost schema on the path here that `$recursiveRef` may refer to. */
  readonly recursiveRoot: JsonSchema | null
  /** What one schema finds wrong with a value. */
  readonly evaluate: (check: Check, schema: JsonSchema, target: Target) => SchemaProblem | null
}

/** A value with its place, and the parts evaluated so far, if they are tracked. */
export interface Target {
  readonly value: unknown
  readonly place: Place
  readonly seen: Seen | null
}

/** The part of a value under a name or index. */
export function evaluateInner(
  check: Check,
  schema: JsonSchema,
  target: Target,
  name: string | number,
): SchemaProblem | null {
  const value = (target.value as Readonly<Record<string | number, unknown>>)[name]
  const seen: Seen | null = check.schema.hasUnevaluated ? new Set() : null
  return check.evaluate(check, schema, { value, place: { within: target.place, name }, seen })
}
