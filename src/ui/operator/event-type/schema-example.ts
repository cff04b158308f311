interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly example?: unknown
  readonly format?: string
}

const deepest = 8

/** A value that a JSON schema describes: its own example if it has one, else the plainest that fits. */
export function exampleOf(given: unknown, depth = 0): unknown {
  if (typeof given !== 'object' || given === null || depth > deepest) return null
  const schema: Schema = given
  const own = schema.examples?.[0] ?? schema.example ?? schema.const ?? schema.default ?? schema.enum?.[0]
  if (own !== undefined) return own
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, exampleOf(inner, depth + 1)]))
    case 'array':
      return [exampleOf(schema.items, depth + 1)]
    case 'string':
      return schema.format === 'date-time' ? '2030-01-01T00:00:00Z' : 'text'
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case undefined:
    default:
      return schema.properties === undefined ? null : exampleOf({ ...schema, type: 'object' }, depth)
  }
}
