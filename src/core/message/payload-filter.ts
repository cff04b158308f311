import { Lru } from '../lru.ts'
import { expected } from '../errors.ts'

/** A value that a filter compares with. */
type Scalar = string | number | boolean | null

/** Conditions on a body as a small tree: comparisons of JSON paths, joined by and, or, not. */
export type PayloadFilter =
  | Condition
  | { readonly and: readonly PayloadFilter[] }
  | { readonly or: readonly PayloadFilter[] }
  | { readonly not: PayloadFilter }

type Condition =
  | { readonly path: string; readonly equals: Scalar }
  | { readonly path: string; readonly in: readonly Scalar[] }
  | { readonly path: string; readonly exists: boolean }
  | { readonly path: string; readonly prefix: string }
  | { readonly path: string; readonly greater: number | string }
  | { readonly path: string; readonly less: number | string }

/** How deep a filter may be nested. */
export const deepestFilter = 8
/** How many conditions a filter may have in total. */
export const mostConditions = 100
const mostPathLength = 500
const mostTextLength = 1_000
const mostChoices = 100

/** True if a parsed body matches the filter. */
export function matches(filter: PayloadFilter, value: unknown): boolean {
  if ('and' in filter) return filter.and.every((each) => matches(each, value))
  if ('or' in filter) return filter.or.some((each) => matches(each, value))
  if ('not' in filter) return !matches(filter.not, value)
  return meets(filter, valueAt(value, filter.path))
}

/** A missing value is neither equal, greater nor less. */
function meets(condition: Condition, found: unknown): boolean {
  if ('exists' in condition) return (found !== undefined) === condition.exists
  if ('equals' in condition) return found === condition.equals
  if ('in' in condition) return condition.in.some((each) => each === found)
  if ('prefix' in condition) return typeof found === 'string' && found.startsWith(condition.prefix)
  if ('greater' in condition) return isLike(found, condition.greater) && found > condition.greater
  return isLike(found, condition.less) && found < condition.less
}

/** Refuses an invalid filter, naming the place of the problem. */
export function checkFilter(filter: unknown): asserts filter is PayloadFilter {
  let conditions = 0

  function check(node: unknown, place: string, depth: number): void {
    if (depth > deepestFilter)
      throw expected('invalid_argument', place, `at most ${deepestFilter} deep`, 'something deeper')
    const { join, operator } = shapeOf(node, place)
    conditions += 1
    if (conditions > mostConditions)
      throw expected('invalid_argument', 'filter', `at most ${mostConditions} conditions`, 'more')
    const fields = node as Readonly<Record<Operator | 'path' | 'and' | 'or' | 'not', unknown>>
    if (join === 'not') return check(fields.not, `${place}.not`, depth + 1)
    if (join !== undefined) return checkList(fields[join], `${place}.${join}`, (each, at) => check(each, at, depth + 1))
    checkPath(fields.path, `${place}.path`)
    checkOperand(operator, fields[operator], `${place}.${operator}`)
  }

  check(filter, 'filter', 1)
}

const joins = ['and', 'or', 'not'] as const
const operators = ['equals', 'in', 'exists', 'prefix', 'greater', 'less'] as const
type Operator = (typeof operators)[number]

/** The kind of a node: a single join, or a path with one operator. Anything more is a mistake that would otherwise be silently ignored. */
function shapeOf(
  node: unknown,
  place: string,
): { readonly join: (typeof joins)[number] | undefined; readonly operator: Operator } {
  const names = namesIn(node)
  const join = joins.find((name) => names.includes(name))
  const operator = operators.find((name) => names.includes(name))
  const isJoin = join !== undefined && names.length === 1
  const isCondition = operator !== undefined && names.includes('path') && names.length === 2
  if (isJoin || isCondition) return { join, operator: operator ?? 'equals' }
  const wanted = `an object with one of ${joins.join(', ')}; or with path and one of ${operators.join(', ')}`
  throw expected('invalid_argument', place, wanted, names.length === 0 ? node : names.join(', '))
}

function namesIn(node: unknown): string[] {
  return typeof node === 'object' && node !== null && !Array.isArray(node) ? Object.keys(node) : []
}

function checkList(list: unknown, place: string, check: (each: unknown, place: string) => void): void {
  if (!Array.isArray(list) || list.length === 0 || list.length > mostConditions) {
    throw expected('invalid_argument', place, `a list of 1 to ${mostConditions} conditions`, list)
  }
  for (const [index, each] of list.entries()) check(each, `${place}[${index}]`)
}

function checkPath(path: unknown, place: string): void {
  if (typeof path === 'string' && path.length <= mostPathLength && stepsOf(path) !== null) return
  throw expected('invalid_argument', place, 'names joined by dots, such as data.items[0].sku or data["odd.name"]', path)
}

function checkOperand(operator: Operator, operand: unknown, place: string): void {
  const { isFit, wanted } = operands[operator]
  if (!isFit(operand)) throw expected('invalid_argument', place, wanted, operand)
}

interface OperandRule {
  readonly isFit: (operand: unknown) => boolean
  readonly wanted: string
}

const shortText = `text of at most ${mostTextLength} characters`
const comparable: OperandRule = {
  isFit: (operand) => isText(operand) || Number.isFinite(operand),
  wanted: `a number, or ${shortText}`,
}
const operands: Readonly<Record<Operator, OperandRule>> = {
  equals: { isFit: isScalar, wanted: `${shortText}, a number, true, false or null` },
  in: { isFit: areChoices, wanted: `a list of 1 to ${mostChoices} texts, numbers, true, false or null` },
  exists: { isFit: (operand) => typeof operand === 'boolean', wanted: 'true or false' },
  prefix: { isFit: isText, wanted: shortText },
  greater: comparable,
  less: comparable,
}

function areChoices(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0 && list.length <= mostChoices && list.every(isScalar)
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'boolean' || Number.isFinite(value) || isText(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= mostTextLength
}

/** Numbers compare with numbers and texts with texts: anything else has no order. */
function isLike<Operand extends number | string>(found: unknown, operand: Operand): found is Operand {
  return typeof found === typeof operand
}

/** The value at a path; undefined if there is none. Own properties only: no path reaches what every object inherits. */
function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of knownSteps(path)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step) || (Array.isArray(at) && step === 'length'))
      return undefined
    at = (at as Readonly<Record<string, unknown>>)[step]
  }
  return at
}

const mostKnownPaths = 10_000
const known = new Lru<string, readonly string[]>(mostKnownPaths)

/** There are few paths and many messages. */
function knownSteps(path: string): readonly string[] {
  const before = known.get(path)
  if (before !== undefined) return before
  const steps = stepsOf(path) ?? []
  known.set(path, steps)
  return steps
}

// A name with or without its dot, an index in brackets, or a name in brackets and quotes.
const stepForm = /(?:(\.)?([^.[\]"'\s]+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\])/y

/** The names and indexes of a path, from the outside in; null if it is invalid. `$` is the body itself. */
function stepsOf(path: string): string[] | null {
  const start = /^\$(?:$|[.[])/.test(path) ? 1 : 0
  const steps: string[] = []
  for (stepForm.lastIndex = start; stepForm.lastIndex < path.length;) {
    const step = nextStep(path)
    if (step === null) return null
    steps.push(step)
  }
  return steps.length === 0 && start === 0 ? null : steps
}

/** The step at the position of `stepForm`; null if there is none. */
function nextStep(path: string): string | null {
  const isFirst = stepForm.lastIndex === 0
  const [found, dot, name, index, quoted] = stepForm.exec(path) ?? []
  if (found === undefined) return null
  // Only the first name may be written without a dot.
  if (name !== undefined && (dot === undefined) !== isFirst) return null
  return name ?? index ?? unquoted(quoted ?? '')
}

function unquoted(text: string): string | null {
  try {
    return JSON.parse(text) as string
  } catch {
    return null
  }
}
