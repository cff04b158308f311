import { messageOf } from '../errors.ts'

export type SchemaObject = Readonly<Record<string, unknown>>
export type JsonSchema = boolean | SchemaObject

/** A pattern that takes time linear in the length of the text, for any pattern and text. */
export interface Pattern {
  /** Steps per character. */
  readonly cost: number
  test(text: string): boolean
}

/** Throws, with the reason, for an invalid pattern, or one that cannot run in linear time. */
type CompilePattern = (source: string) => Pattern

/** Why a value is not a usable schema, and where. */
export class BadSchema extends Error {
  override readonly name = 'BadSchema'
  readonly pointer: string
  readonly says: string

  constructor(pointer: string, says: string, options?: { readonly cause?: unknown }) {
    super(`${pointer}: ${says}`, options)
    this.pointer = pointer
    this.says = says
  }
}

export type Draft = '4' | '7' | '2019-09' | '2020-12'

/** A schema with all its references resolved. */
export interface CompiledSchema {
  readonly root: JsonSchema
  readonly draft: Draft
  /** What each `$ref` refers to, by the object that contains it. */
  readonly references: ReadonlyMap<SchemaObject, JsonSchema>
  readonly patterns: ReadonlyMap<string, Pattern>
  /** Steps needed to visit each object once. */
  readonly weights: ReadonlyMap<SchemaObject, number>
  /** Whether any keyword depends on what other parts have evaluated. */
  readonly hasUnevaluated: boolean
}

const ownUrl = 'https://schema.invalid/'
const draftNames: readonly (readonly [string, Draft])[] = [
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
]

/** Keywords whose value is a schema, a list of schemas, or a table of schemas. */
const schemaKeywords = [
  'additionalItems',
  'unevaluatedItems',
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
] as const
const listKeywords = ['prefixItems', 'items', 'allOf', 'anyOf', 'oneOf'] as const
const tableKeywords = [
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
] as const

/** Resolves everything once, and throws if a reference leads nowhere or a pattern cannot run. Nothing is fetched. */
export function compileSchema(root: JsonSchema, compilePattern: CompilePattern): CompiledSchema {
  const walk = new Walk(root, compilePattern)
  walk.resolveAll()
  const { references, patterns, weights, hasUnevaluated } = walk
  return { root, draft: draftOf(root), references, patterns, weights, hasUnevaluated }
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isTable(value)
}

export function isTable(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function draftOf(schema: JsonSchema): Draft {
  const named = typeof schema === 'object' ? schema['$schema'] : undefined
  if (typeof named !== 'string') return '2020-12'
  return draftNames.find(([name]) => named.includes(name))?.[1] ?? '2020-12'
}

/** The place of an object in a schema: its document, and its path for error messages. */
interface Found {
  readonly base: URL
  readonly place: string
}

class Walk {
  readonly references = new Map<SchemaObject, JsonSchema>()
  readonly patterns = new Map<string, Pattern>()
  readonly weights = new Map<SchemaObject, number>()
  hasUnevaluated = false
  readonly #compilePattern: CompilePattern
  /** Documents and anchors by their URL. */
  readonly #named = new Map<string, JsonSchema>()
  readonly #unresolved: (readonly [SchemaObject, Found])[] = []

  constructor(root: JsonSchema, compilePattern: CompilePattern) {
    this.#compilePattern = compilePattern
    this.#named.set(ownUrl, root)
    this.#visit(root, new URL(ownUrl), '#')
  }

  /** The target of a reference may contain references, even where none of our keywords leads. */
  resolveAll(): void {
    for (let next = this.#unresolved.pop(); next !== undefined; next = this.#unresolved.pop()) {
      const [schema, { base, place }] = next
      const reference = String(schema['$ref'])
      const target = this.#targetOf(reference, base)
      if (target === null)
        throw new BadSchema(`${place}/$ref`, `a reference to ${reference}, which is not in the schema itself`)
      this.references.set(schema, target)
      this.#visit(target, base, place)
    }
  }

  #visit(schema: unknown, base: URL, place: string): void {
    if (!isTable(schema) || this.weights.has(schema)) return
    this.weights.set(schema, weightOf(schema))
    this.hasUnevaluated ||= 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema
    const own = this.#nameIn(schema, { base, place })
    if (typeof schema['$ref'] === 'string') this.#unresolved.push([schema, { base: own, place }])
    this.#addPatterns(schema, place)
    for (const [inner, keyword] of partsOf(schema)) this.#visit(inner, own, `${place}/${keyword}`)
  }

  /** Registers the names that an object gives itself; returns the document that its contents belong to. */
  #nameIn(schema: SchemaObject, { base, place }: Found): URL {
    const id = schema['$id'] ?? schema['id']
    const own = typeof id === 'string' ? urlOf(id, base) : base
    if (own === null) throw new BadSchema(`${place}/${'$id' in schema ? '$id' : 'id'}`, `${String(id)} is no URL`)
    if (typeof id === 'string') this.#named.set(own.href, schema)
    const anchor = schema['$anchor']
    if (typeof anchor === 'string') this.#named.set(new URL(`#${anchor}`, own).href, schema)
    return own
  }

  #targetOf(reference: string, base: URL): JsonSchema | null {
    const url = urlOf(reference, base)
    if (url === null) return null
    const named = this.#named.get(url.href)
    if (named !== undefined) return named
    const fragment = decoded(url.hash.slice(1))
    url.hash = ''
    const document = this.#named.get(url.href)
    if (document === undefined || (fragment !== '' && !fragment.startsWith('/'))) return null
    return atPointer(document, fragment)
  }

  #addPatterns(schema: SchemaObject, place: string): void {
    const { pattern, patternProperties } = schema
    if (typeof pattern === 'string') this.#addPattern(pattern, `${place}/pattern`)
    if (!isTable(patternProperties)) return
    for (const source of Object.keys(patternProperties))
      this.#addPattern(source, `${place}/patternProperties/${escaped(source)}`)
  }

  #addPattern(source: string, place: string): void {
    if (this.patterns.has(source)) return
    try {
      this.patterns.set(source, this.#compilePattern(source))
    } catch (cause) {
      throw new BadSchema(place, messageOf(cause), { cause })
    }
  }
}

/** Every schema inside an object, with its path. */
function* partsOf(schema: SchemaObject): Generator<readonly [unknown, string]> {
  for (const keyword of schemaKeywords) if (keyword in schema) yield [schema[keyword], keyword]
  for (const keyword of listKeywords) {
    const list = schema[keyword]
    if (Array.isArray(list)) for (const [index, each] of list.entries()) yield [each, `${keyword}/${index}`]
  }
  for (const keyword of tableKeywords) {
    const table = schema[keyword]
    if (isTable(table)) for (const [name, each] of Object.entries(table)) yield [each, `${keyword}/${escaped(name)}`]
  }
}

/** Visiting an object once means visiting each of its keywords, and each name and item of those. */
function weightOf(schema: SchemaObject): number {
  let weight = 1
  for (const value of Object.values(schema))
    weight += typeof value === 'object' && value !== null ? Object.keys(value).length + 1 : 1
  return weight
}

function atPointer(document: JsonSchema, pointer: string): JsonSchema | null {
  let at: unknown = document
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return null
    at = (at as SchemaObject)[name]
  }
  return isSchema(at) ? at : null
}

/** A name as one step of a JSON pointer. */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Null if it is not a URL. */
function urlOf(text: string, base: URL): URL | null {
  return URL.canParse(text, base.href) ? new URL(text, base) : null
}

/** A text that cannot be decoded is used unchanged, and leads nowhere. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
