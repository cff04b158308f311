import { expected } from '../errors.ts'

/** A value that a filter compares with. */
export type Scalar = string | number | boolean | null

/** What a body must be like, as a small tree: conditions on JSON paths, joined by and, or, not. */
export type PayloadFilter =
  | { readonly path: string; readonly equals: Scalar }
  | { readonly path: string; readonly in: readonly Scalar[] }
  | { readonly path: string; readonly exists: boolean }
  | { readonly path: string; readonly prefix: string }
  | { readonly path: string; readonly greater: number | string }
  | { readonly path: string; readonly less: number | string }
  | { readonly and: readonly PayloadFilter[] }
  | { readonly or: readonly PayloadFilter[] }
  | { readonly not: PayloadFilter }

/** How deep a filter may be nested. */
export const deepestFilter = 8
/** How many conditions a filter may have in all. */
export const mostConditions = 100
const mostPathLength = 500
const mostTextLength = 1_000
const mostChoices = 100

/** True if a parsed body is what the filter asks for. What is not there is neither equal, greater nor less. */
export function matches(filter: PayloadFilter, value: unknown): boolean {
  if ('and' in filter) return filter.and.every((each) => matches(each, value))
  if ('or' in filter) return filter.or.some((each) => matches(each, value))
  if ('not' in filter) return !matches(filter.not, value)
  const found = valueAt(value, filter.path)
  if ('exists' in filter) return (found !== undefined) === filter.exists
  if ('equals' in filter) return found === filter.equals
  if ('in' in filter) return filter.in.some((each) => each === found)
  if ('prefix' in filter) return typeof found === 'string' && found.startsWith(filter.prefix)
  if ('greater' in filter) return isLike(found, filter.greater) && found > filter.greater
  return isLike(found, filter.less) && found < filter.less
}

/** Refuses what is no filter, naming the place in it. */
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

/** What a node says it is: one join alone, or a path with one operator. Anything more is a mistake that would be passed over in silence. */
function shapeOf(
  node: unknown,
  place: string,
): { readonly join: (typeof joins)[number] | undefined; readonly operator: Operator } {
  const names = typeof node === 'object' && node !== null && !Array.isArray(node) ? Object.keys(node) : []
  const join = joins.find((name) => names.includes(name))
  const operator = operators.find((name) => names.includes(name))
  const isJoin = join !== undefined && names.length === 1
  const isCondition = operator !== undefined && names.includes('path') && names.length === 2
  if (isJoin || isCondition) return { join, operator: operator ?? 'equals' }
  const wanted = `an object with one of ${joins.join(', ')}; or with path and one of ${operators.join(', ')}`
  throw expected('invalid_argument', place, wanted, names.length === 0 ? node : names.join(', '))
}

function checkList(list: unknown, place: string, check: (each: unknown, place: string) => void): void {
  if (!Array.isArray(list) || list.length === 0 || list.length > mostConditions) {
    throw expected('invalid_argument', place, `a list of 1 to ${mostConditions} conditions`, list)
  }
  for (const [index, each] of list.entries()) check(each, `${place}[${index}]`)
}

function checkOperand(operator: Operator, operand: unknown, place: string): void {
  switch (operator) {
    case 'equals':
      if (isScalar(operand)) return
      throw expected(
        'invalid_argument',
        place,
        `text of at most ${mostTextLength} characters, a number, true, false or null`,
        operand,
      )
    case 'in':
      if (Array.isArray(operand) && operand.length > 0 && operand.length <= mostChoices && operand.every(isScalar))
        return
      throw expected(
        'invalid_argument',
        place,
        `a list of 1 to ${mostChoices} texts, numbers, true, false or null`,
        operand,
      )
    case 'exists':
      if (typeof operand === 'boolean') return
      throw expected('invalid_argument', place, 'true or false', operand)
    case 'prefix':
      if (isText(operand)) return
      throw expected('invalid_argument', place, `text of at most ${mostTextLength} characters`, operand)
    case 'greater':
    case 'less':
      if (isText(operand) || Number.isFinite(operand)) return
      throw expected('invalid_argument', place, `a number, or text of at most ${mostTextLength} characters`, operand)
  }
}

function checkPath(path: unknown, place: string): void {
  if (typeof path === 'string' && path.length <= mostPathLength && stepsOf(path) !== null) return
  throw expected('invalid_argument', place, 'names joined by dots, such as data.items[0].sku or data["odd.name"]', path)
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

/** What is at a path; undefined if nothing is. Only what the body itself has: no name reaches what every object inherits. */
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
const known = new Map<string, readonly string[]>()

/** Paths are few, and messages are many. */
function knownSteps(path: string): readonly string[] {
  const before = known.get(path)
  if (before !== undefined) return before
  if (known.size >= mostKnownPaths) known.clear()
  const steps = stepsOf(path) ?? []
  known.set(path, steps)
  return steps
}

// A name with or without its dot, an index in brackets, or a name in brackets and quotes.
const stepForm = /(?:(\.)?([^.[\]"'\s]+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\])/y

/** The names and indexes of a path, from the outside in; null if it is none. `$` is the body itself. */
function stepsOf(path: string): string[] | null {
  const start = /^\$(?:$|[.[])/.test(path) ? 1 : 0
  const steps: string[] = []
  for (stepForm.lastIndex = start; stepForm.lastIndex < path.length;) {
    const isFirst = stepForm.lastIndex === 0
    const [found, dot, name, index, quoted] = stepForm.exec(path) ?? []
    if (found === undefined) return null
    const step = name ?? index ?? unquoted(quoted ?? '')
    // Only the first name stands without a dot.
    if (step === null || (name !== undefined && (dot === undefined) !== isFirst)) return null
    steps.push(step)
  }
  return steps.length === 0 && start === 0 ? null : steps
}

function unquoted(text: string): string | null {
  try {
    return JSON.parse(text) as string
  } catch {
    return null
  }
}
