import { isSchema, isTable } from './compile.ts'
import type { SchemaObject } from './compile.ts'
import { evaluateInner } from './check.ts'
import type { Check, SchemaProblem, Target } from './check.ts'

/** Keywords about objects. */
export function objectProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const names = Object.keys(target.value as object)
  check.cost.spend(names.length)
  return (
    countProblem(schema, names, target) ??
    requiredProblem(schema['required'], target) ??
    nameProblem(check, schema['propertyNames'], names, target) ??
    dependencyProblem(check, schema, target) ??
    propertyProblem(check, schema, names, target)
  )
}

function countProblem(schema: SchemaObject, names: readonly string[], { place }: Target): SchemaProblem | null {
  const { minProperties, maxProperties } = schema
  if (typeof minProperties === 'number' && names.length < minProperties)
    return { place, says: `It has ${names.length} properties, fewer than ${minProperties}.` }
  if (typeof maxProperties === 'number' && names.length > maxProperties)
    return { place, says: `It has ${names.length} properties, more than ${maxProperties}.` }
  return null
}

function requiredProblem(required: unknown, { value, place }: Target): SchemaProblem | null {
  if (!Array.isArray(required)) return null
  const missing = required.find((name) => !Object.hasOwn(value as object, String(name)))
  return missing === undefined ? null : { place, says: `The property "${String(missing)}" is missing.` }
}

function nameProblem(check: Check, schema: unknown, names: readonly string[], target: Target): SchemaProblem | null {
  if (!isSchema(schema)) return null
  for (const name of names) {
    const place = { within: target.place, name }
    const problem = check.evaluate(check, schema, { value: name, place, seen: null })
    if (problem !== null) return { place: target.place, says: `The name "${name}" is not allowed: ${problem.says}` }
  }
  return null
}

/** What must be present, or valid, if something else is present. */
function dependencyProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const table = schema[keyword]
    if (!isTable(table)) continue
    for (const [name, asked] of Object.entries(table)) {
      check.cost.spend(Array.isArray(asked) ? asked.length + 1 : 1)
      if (!Object.hasOwn(target.value as object, name)) continue
      const problem = isSchema(asked) ? check.evaluate(check, asked, target) : requiredProblem(asked, target)
      if (problem !== null) return problem
    }
  }
  return null
}

function propertyProblem(
  check: Check,
  schema: SchemaObject,
  names: readonly string[],
  target: Target,
): SchemaProblem | null {
  const known = new Set<string>()
  return (
    namedProblem(check, schema['properties'], target, known) ??
    patternProblem(check, schema['patternProperties'], names, { ...target, known }) ??
    restProblem(check, schema, names, { ...target, known })
  )
}

function namedProblem(check: Check, table: unknown, target: Target, known: Set<string>): SchemaProblem | null {
  if (!isTable(table)) return null
  for (const [name, schema] of Object.entries(table)) {
    if (!isSchema(schema) || !Object.hasOwn(target.value as object, name)) continue
    known.add(name)
    target.seen?.add(name)
    const problem = evaluateInner(check, schema, target, name)
    if (problem !== null) return problem
  }
  return null
}

type WithKnown = Target & { readonly known: Set<string> }

function patternProblem(
  check: Check,
  table: unknown,
  names: readonly string[],
  target: WithKnown,
): SchemaProblem | null {
  if (!isTable(table)) return null
  for (const [source, schema] of Object.entries(table)) {
    const pattern = check.schema.patterns.get(source)
    if (!isSchema(schema) || pattern === undefined) continue
    for (const name of names) {
      check.cost.spend(pattern.cost * (name.length + 1))
      if (!pattern.test(name)) continue
      target.known.add(name)
      target.seen?.add(name)
      const problem = evaluateInner(check, schema, target, name)
      if (problem !== null) return problem
    }
  }
  return null
}

/** The properties that no other keyword names; for `unevaluatedProperties`, those that no other keyword has evaluated. */
function restProblem(
  check: Check,
  schema: SchemaObject,
  names: readonly string[],
  target: WithKnown,
): SchemaProblem | null {
  const { additionalProperties, unevaluatedProperties } = schema
  const isAdditional = isSchema(additionalProperties)
  const rest = isAdditional ? additionalProperties : unevaluatedProperties
  if (!isSchema(rest)) return null
  const isKnown = (name: string): boolean => (isAdditional ? target.known.has(name) : target.seen?.has(name) === true)
  for (const name of names) {
    if (isKnown(name)) continue
    target.seen?.add(name)
    if (rest === false) return { place: target.place, says: `The property "${name}" is not allowed.` }
    const problem = evaluateInner(check, rest, target, name)
    if (problem !== null) return problem
  }
  return null
}
