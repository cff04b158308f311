import { arrayProblem } from './arrays.ts'
import type { Check, Place, SchemaProblem, Seen, Target } from './check.ts'
import { combinationProblem } from './combinations.ts'
import { escaped } from './compile.ts'
import type { CompiledSchema, JsonSchema, SchemaObject } from './compile.ts'
import { Cost } from './cost.ts'
import { objectProblem } from './objects.ts'
import { numberProblem, stringProblem, valueProblem } from './values.ts'

/** What is wrong with a value, and where (a JSON pointer). */
export interface Fault {
  readonly pointer: string
  readonly says: string
}

/** Checks a value against a schema; returns what is wrong with it, or null. Throws `CannotApply` after too many steps. */
export function problemIn(schema: CompiledSchema, value: unknown, mostSteps: number): string | null {
  const fault = faultIn(schema, value, mostSteps)
  return fault === null ? null : `${fault.pointer}: ${fault.says}`
}

/** The same, with the place as a separate field. */
export function faultIn(schema: CompiledSchema, value: unknown, mostSteps: number): Fault | null {
  const check = { schema, cost: new Cost(mostSteps), recursiveRoot: null, evaluate }
  const seen: Seen | null = schema.hasUnevaluated ? new Set() : null
  const problem = evaluate(check, schema.root, { value, place: null, seen })
  return problem === null ? null : { pointer: pointerOf(problem.place), says: problem.says }
}

function evaluate(check: Check, schema: JsonSchema, target: Target): SchemaProblem | null {
  const { cost } = check
  cost.spend(1)
  if (schema === true) return null
  if (schema === false) return { place: target.place, says: 'Nothing is allowed here.' }
  cost.spend(check.schema.weights.get(schema) ?? 1)
  cost.enter()
  const problem = evaluateObject(enterRecursion(check, schema), schema, target)
  cost.leave()
  return problem
}

function evaluateObject(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const referred = referenceProblem(check, schema, target)
  if (referred !== null || isReferenceOnly(check, schema)) return referred
  return (
    valueProblem(check, schema, target) ??
    combinationProblem(check, schema, target) ??
    partsProblem(check, schema, target)
  )
}

/** Keywords about the parts of a value; last, because they may depend on what the others have evaluated. */
function partsProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const { value } = target
  if (typeof value === 'number') return numberProblem(check, schema, target)
  if (typeof value === 'string') return stringProblem(check, schema, target)
  if (typeof value !== 'object' || value === null) return null
  return Array.isArray(value) ? arrayProblem(check, schema, target) : objectProblem(check, schema, target)
}

function referenceProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  if (schema['$recursiveRef'] === '#') {
    const problem = evaluate(check, check.recursiveRoot ?? check.schema.root, target)
    if (problem !== null) return problem
  }
  const referred = check.schema.references.get(schema)
  return referred === undefined ? null : evaluate(check, referred, target)
}

/** Up to draft 7, keywords next to a reference are ignored. */
function isReferenceOnly({ schema: { draft } }: Check, schema: SchemaObject): boolean {
  return (draft === '4' || draft === '7') && typeof schema['$ref'] === 'string'
}

function enterRecursion(check: Check, schema: SchemaObject): Check {
  return schema['$recursiveAnchor'] === true && check.recursiveRoot === null
    ? { ...check, recursiveRoot: schema }
    : check
}

/** As a JSON pointer: `#/lines/1/sku`. */
function pointerOf(place: Place): string {
  const names: string[] = []
  for (let at = place; at !== null; at = at.within) names.push(escaped(String(at.name)))
  return ['#', ...names.toReversed()].join('/')
}
