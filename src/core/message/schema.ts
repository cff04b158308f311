import { expected } from '../errors.ts'

/** The part of the Standard Schema interface that Posthorn uses: zod, valibot, arktype and others all have it. */
export interface Schema<Value = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>
    readonly types?: { readonly input: Value; readonly output: unknown } | undefined
  }
}

type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** The input type of a schema: the type of `data` that `send` accepts. */
export type SchemaInput<Of extends Schema> = NonNullable<Of['~standard']['types']>['input']

/** Checks data against the schema of its event type. The data is sent as given: a schema checks, it does not transform. */
export async function checkData(type: string, schema: Schema, data: unknown): Promise<void> {
  refuseIssues(type, await schema['~standard'].validate(data))
}

/** The same for callers that cannot wait. */
export function checkDataSync(type: string, schema: Schema, data: unknown): void {
  const result = schema['~standard'].validate(data)
  if (!(result instanceof Promise)) return refuseIssues(type, result)
  // The result is no longer needed, and its rejection must not end the process.
  result.catch(() => undefined)
  const advice =
    'A send within a transaction of SQLite waits for nothing: check the data before, or let the schema answer at once.'
  throw expected('invalid_argument', 'events', `a schema of ${type} that answers at once`, 'a promise', advice)
}

function refuseIssues(type: string, result: SchemaResult): void {
  if (result.issues === undefined) return
  const issues = result.issues.slice(0, 5).map((issue) => `${pathOf(issue)}${issue.message}`)
  throw expected('schema_mismatch', 'data', `what the schema of ${type} allows`, issues.join('; '))
}

function pathOf({ path }: SchemaIssue): string {
  if (path === undefined || path.length === 0) return ''
  return `${path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')}: `
}
