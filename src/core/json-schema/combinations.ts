import { isSchema } from './compile.ts'
import type { JsonSchema, SchemaObject } from './compile.ts'
import type { Check, SchemaProblem, Seen, Target } from './check.ts'

/** Keywords that combine schemas: not, allOf, anyOf, oneOf, if. */
export function combinationProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  return (
    notProblem(check, schema['not'], target) ??
    allProblem(check, schema['allOf'], target) ??
    anyProblem(check, schema['anyOf'], target) ??
    oneProblem(check, schema['oneOf'], target) ??
    conditionProblem(check, schema, target)
  )
}

function notProblem(check: Check, not: unknown, target: Target): SchemaProblem | null {
  if (!isSchema(not)) return null
  const isMatch = check.evaluate(check, not, { ...target, seen: freshSeen(target) }) === null
  return isMatch ? { place: target.place, says: 'It is what it must not be.' } : null
}

function allProblem(check: Check, all: unknown, target: Target): SchemaProblem | null {
  for (const each of schemasIn(all)) {
    const problem = check.evaluate(check, each, target)
    if (problem !== null) return problem
  }
  return null
}

function anyProblem(check: Check, any: unknown, target: Target): SchemaProblem | null {
  if (!Array.isArray(any)) return null
  const { matches, last } = matchesOf(check, any, target)
  // With a single alternative, its problem is the problem.
  return matches > 0
    ? null
    : any.length === 1
      ? last
      : { place: target.place, says: 'It matches none of the alternatives.' }
}

function oneProblem(check: Check, one: unknown, target: Target): SchemaProblem | null {
  if (!Array.isArray(one)) return null
  const { matches } = matchesOf(check, one, target)
  return matches === 1 ? null : { place: target.place, says: `It is ${matches} of what it must be exactly one of.` }
}

/** How many alternatives a value matches; the parts that they evaluated count as evaluated. */
function matchesOf(
  check: Check,
  alternatives: unknown,
  target: Target,
): { readonly matches: number; readonly last: SchemaProblem | null } {
  let matches = 0
  let last: SchemaProblem | null = null
  for (const each of schemasIn(alternatives)) {
    const seen = freshSeen(target)
    last = check.evaluate(check, each, { ...target, seen })
    if (last !== null) continue
    matches += 1
    see(target, seen)
  }
  return { matches, last }
}

function conditionProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const condition = schema['if']
  if (!isSchema(condition)) return null
  const seen = freshSeen(target)
  const isMet = check.evaluate(check, condition, { ...target, seen }) === null
  if (isMet) see(target, seen)
  const then = schema[isMet ? 'then' : 'else']
  return isSchema(then) ? check.evaluate(check, then, target) : null
}

function schemasIn(list: unknown): JsonSchema[] {
  return Array.isArray(list) ? list.filter(isSchema) : []
}

function freshSeen({ seen }: Target): Seen | null {
  return seen === null ? null : new Set()
}

function see({ seen }: Target, more: Seen | null): void {
  if (seen !== null && more !== null) for (const each of more) seen.add(each)
}
