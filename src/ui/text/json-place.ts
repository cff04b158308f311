import { endOf, space, token } from './json-problem.ts'

/** Where the value at a JSON pointer (`#/properties/total`) begins in a text that is JSON; null if there is none. */
export function positionAt(text: string, pointer: string): number | null {
  for (const { place, from } of valuesIn(text)) if (place === pointer) return from
  return null
}

/** An object or list around a value, and the name or index of what comes next in it; null before a name. */
interface Around {
  readonly isList: boolean
  next: string | null
}

/** Every value of a text, with its place as a JSON pointer. */
function* valuesIn(text: string): Generator<{ readonly place: string; readonly from: number }> {
  const around: Around[] = []
  for (const { text: seen, from } of tokensOf(text)) {
    const inner = around.at(-1)
    if (seen === '}' || seen === ']') around.pop()
    else if (seen === ',') step(inner)
    else if (inner?.next === null) inner.next = nameIn(seen)
    else if (seen !== ':') {
      yield { place: ['#', ...around.map(({ next }) => next ?? '')].join('/'), from }
      enter(around, seen)
    }
  }
}

function enter(around: Around[], seen: string): void {
  if (seen === '{') around.push({ isList: false, next: null })
  if (seen === '[') around.push({ isList: true, next: '0' })
}

function step(inner: Around | undefined): void {
  if (inner !== undefined) inner.next = inner.isList ? String(Number(inner.next) + 1) : null
}

function nameIn(key: string): string {
  return String(JSON.parse(key)).replaceAll('~', '~0').replaceAll('/', '~1')
}

function* tokensOf(text: string): Generator<{ readonly text: string; readonly from: number }> {
  for (let position = 0; ;) {
    const from = endOf(space, text, position) ?? position
    const end = endOf(token, text, from)
    if (end === null) return
    yield { text: text.slice(from, end), from }
    position = end
  }
}
