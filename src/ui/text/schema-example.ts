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

/** An example for a JSON schema: its own if it has one, else the simplest value that fits. */
export function exampleOf(given: unknown, depth = 0): unknown {
  if (typeof given !== 'object' || given === null || depth > deepest) return null
  const schema: Schema = given
  const own = ownExample(schema)
  if (own !== undefined) return own
  const type = [schema.type].flat()[0] ?? ''
  const plainest = plainestOf.get(type) ?? (schema.properties === undefined ? undefined : plainestObject)
  return plainest === undefined ? null : plainest(schema, depth + 1)
}

function ownExample(schema: Schema): unknown {
  return schema.examples?.[0] ?? schema.example ?? schema.const ?? schema.default ?? schema.enum?.[0]
}

function plainestObject({ properties = {} }: Schema, depth: number): unknown {
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, exampleOf(inner, depth)]))
}

const plainestOf: ReadonlyMap<string, (schema: Schema, depth: number) => unknown> = new Map([
  ['object', plainestObject],
  ['array', ({ items }: Schema, depth: number) => [exampleOf(items, depth)]],
  ['string', ({ format }: Schema) => (format === 'date-time' ? '2030-01-01T00:00:00Z' : 'text')],
  ['integer', () => 1],
  ['number', () => 1],
  ['boolean', () => true],
])
