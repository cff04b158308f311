/** The parts of the OpenAPI document that the page reads. */
export interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: DescribedOperation }>>
  readonly components: { readonly schemas: Schemas; readonly responses: Readonly<Record<string, DescribedResponse>> }
}

export interface DescribedOperation {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, DescribedResponse & { readonly $ref?: string }>>
}

/** An operation with its place in the page. */
export interface Placed {
  readonly method: string
  readonly path: string
  readonly operation: DescribedOperation
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface DescribedResponse {
  readonly description?: string
  readonly content?: Content
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

export type Schemas = Readonly<Record<string, Schema>>

/** The parts of JSON Schema that the page shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly description?: string
  readonly deprecated?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

/** The name of a named schema. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1)
}

export function bodyOf(described: { readonly content?: Content } | undefined): Schema | undefined {
  return described?.content?.['application/json']?.schema
}
