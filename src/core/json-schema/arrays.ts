import { isSchema } from './compile.ts'
import type { JsonSchema, SchemaObject } from './compile.ts'
import { evaluateInner } from './check.ts'
import type { Check, SchemaProblem, Target } from './check.ts'
import { canonicalText } from './equality.ts'

/** Keywords about arrays. */
export function arrayProblem(check: Check, schema: SchemaObject, target: Target): SchemaProblem | null {
  const items = target.value as readonly unknown[]
  check.cost.spend(items.length)
  return (
    lengthProblem(schema, items, target) ??
    itemProblem(check, schema, items, target) ??
    containsProblem(check, schema, items, target) ??
    unevaluatedProblem(check, schema['unevaluatedItems'], items, target) ??
    (schema['uniqueItems'] === true ? uniqueProblem(check, items, target) : null)
  )
}

function lengthProblem(schema: SchemaObject, items: readonly unknown[], { place }: Target): SchemaProblem | null {
  const { minItems, maxItems } = schema
  if (typeof minItems === 'number' && items.length < minItems)
    return { place, says: `It has ${items.length} items, fewer than ${minItems}.` }
  if (typeof maxItems === 'number' && items.length > maxItems)
    return { place, says: `It has ${items.length} items, more than ${maxItems}.` }
  return null
}

/** Items by position, then the rest: in older drafts `items` is a list of the former, and `additionalItems` the rest. */
function itemProblem(
  check: Check,
  schema: SchemaObject,
  items: readonly unknown[],
  target: Target,
): SchemaProblem | null {
  const { prefixItems, items: each, additionalItems } = schema
  const first = Array.isArray(prefixItems) ? prefixItems : []
  const placed = Array.isArray(each) ? [...first, ...each.slice(first.length)] : first
  const rest = Array.isArray(each) ? additionalItems : each
  const last = isSchema(rest) ? items.length : Math.min(placed.length, items.length)
  for (let index = 0; index < last; index += 1) {
    const own: unknown = index < placed.length ? placed[index] : rest
    target.seen?.add(index)
    const problem = isSchema(own) ? evaluateInner(check, own, target, index) : null
    if (problem !== null) return problem
  }
  return null
}

function containsProblem(
  check: Check,
  schema: SchemaObject,
  items: readonly unknown[],
  target: Target,
): SchemaProblem | null {
  const { contains, minContains, maxContains } = schema
  if (!isSchema(contains)) return null
  const count = countMatches(check, contains, items, target)
  const least = typeof minContains === 'number' ? minContains : 1
  if (count < least)
    return { place: target.place, says: `It contains ${count} items of a kind of which it must have ${least}.` }
  if (typeof maxContains === 'number' && count > maxContains)
    return { place: target.place, says: `It contains ${count} items of a kind of which it may have ${maxContains}.` }
  return null
}

function countMatches(check: Check, schema: JsonSchema, items: readonly unknown[], target: Target): number {
  let count = 0
  for (const index of items.keys()) {
    if (evaluateInner(check, schema, target, index) !== null) continue
    target.seen?.add(index)
    count += 1
  }
  return count
}

function unevaluatedProblem(
  check: Check,
  schema: unknown,
  items: readonly unknown[],
  target: Target,
): SchemaProblem | null {
  if (!isSchema(schema)) return null
  for (const index of items.keys()) {
    if (target.seen?.has(index) === true) continue
    target.seen?.add(index)
    const problem = evaluateInner(check, schema, target, index)
    if (problem !== null) return problem
  }
  return null
}

/** Compares a text that equal items share: comparing each item with each other would take quadratic time. */
function uniqueProblem(check: Check, items: readonly unknown[], { place }: Target): SchemaProblem | null {
  const first = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const text = canonicalText(check, item)
    const other = first.get(text)
    if (other !== undefined) return { place, says: `Its items ${other} and ${index} are equal.` }
    first.set(text, index)
  }
  return null
}
