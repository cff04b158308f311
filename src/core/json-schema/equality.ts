import type { Check } from './check.ts'

/** A text that equal values share, regardless of the order of their properties. */
export function canonicalText(check: Check, value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value)
    check.cost.spend(1 + text.length / charactersPerStep)
    return text
  }
  check.cost.spend(1)
  if (Array.isArray(value)) return `[${value.map((each) => canonicalText(check, each)).join(',')}]`
  const fields = Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, each]) => `${canonicalText(check, name)}:${canonicalText(check, each)}`)
  return `{${fields.join(',')}}`
}

/** Whether two JSON values are equal. */
export function isEqual(check: Check, one: unknown, other: unknown): boolean {
  check.cost.spend(1)
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  check.cost.spend(names.length)
  if (names.length !== Object.keys(other).length) return false
  const [left, right] = [one, other] as readonly Readonly<Record<string, unknown>>[]
  return names.every((name) => Object.hasOwn(other, name) && isEqual(check, left?.[name], right?.[name]))
}

const charactersPerStep = 16
