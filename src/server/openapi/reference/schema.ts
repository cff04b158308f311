import { nameOf } from './described.ts'
import type { Schema } from './described.ts'
import { anchor, escaped, prose } from './html.ts'

/** The fields of an object as a table; for anything else, its type. */
export function fieldsTable(schema: Schema, label: string): string {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return `<p>${kindOf(schema)} ${prose(schema.description ?? '')}</p>`
  const rows = fields.map(([name, field]) =>
    row(name, field, schema.required?.includes(name) === true ? 'required' : '', field.description),
  )
  return table(label, rows)
}

/** Names with their types, constraints and meanings. */
export function table(label: string, rows: readonly string[]): string {
  return `<table class="fields" aria-label="${escaped(label)}"><thead class="hidden"><tr><th scope="col">Name<th scope="col">Type and meaning</thead><tbody>${rows.join('')}</tbody></table>`
}

export function row(name: string, schema: Schema, mark: string, description: string | undefined): string {
  const marks = [mark, schema.deprecated === true ? 'deprecated' : ''].filter((each) => each !== '')
  const bounds = boundsOf(schema)
  const said = description === undefined ? '' : `<p>${prose(description)}</p>`
  return `<tr><th scope="row"><code>${escaped(name)}</code>${marks.map((each) => ` <small class="mark ${each}">${each}</small>`).join('')}<td><span>${kindOf(schema)}${bounds === '' ? '' : `<small>, ${escaped(bounds)}</small>`}</span>${said}`
}

/** The type of a value, as a word or a link. Nullability is said once. */
export function kindOf(schema: Schema): string {
  const name = nameOf(schema)
  if (name !== undefined) return `<a href="${anchor(name)}">${escaped(name)}</a>`
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' or ')
  if (schema.const !== undefined) return literal(schema.const)
  const either = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (either !== undefined) return [...new Set(either.map(kindOf))].join(' or ')
  if (schema.items !== undefined) return `list of ${kindOf(schema.items)}`
  const types = schema.type === undefined ? ['anything'] : [schema.type].flat()
  return types.map((type) => escaped(formats.get(schema.format ?? '') ?? type)).join(' or ')
}

const formats: ReadonlyMap<string, string> = new Map([
  ['date-time', 'time (ISO 8601)'],
  ['uri', 'URL'],
])

function literal(value: unknown): string {
  return `<code>${escaped(JSON.stringify(value))}</code>`
}

/** Numeric constraints, and the default. */
function boundsOf(schema: Schema): string {
  const { minimum, maximum, maxLength } = { ...schema.anyOf?.[0], ...schema }
  return [range(minimum, maximum), maxLength === undefined ? '' : `at most ${maxLength} characters`, otherwise(schema)]
    .filter((each) => each !== '')
    .join(', ')
}

function range(least: number | undefined, most: number | undefined): string {
  if (least === undefined) return most === undefined ? '' : `at most ${most}`
  return most === undefined ? `at least ${least}` : `${least} to ${most}`
}

function otherwise({ default: value }: Schema): string {
  return value === undefined || typeof value === 'object' ? '' : `default ${JSON.stringify(value)}`
}
