import { z } from 'zod'
import type { ZodType } from 'zod'
import { version } from '../../posthorn.ts'
import type { Operation } from '../operation.ts'
import { httpError } from '../schemas/common.ts'

/** A part of the document, as JSON Schema or OpenAPI define it. */
export type Json = { readonly [name: string]: unknown }

/** The OpenAPI 3.1 description of the API, derived from the schemas that validate requests. */
export function openApi(operations: readonly Operation[], basePath: string): Json {
  const schemas: Record<string, unknown> = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, schemas) }
  }
  const errors = {
    HttpErrorOut: reference(httpError, schemas),
    HTTPValidationError: reference(validationError, schemas),
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version,
      description:
        'Outbound webhooks: signed, retried, dead-lettered. The core resources are those of Svix, whose clients work here.',
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    security: [{ key: [] }],
    paths,
    webhooks: { message: { post: whatWeSend } },
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer phk_…`' },
      },
      responses: Object.fromEntries(
        refusals.map(({ name, description, schema }) => [name, { description, content: json(errors[schema]) }]),
      ),
    },
  }
}

const problem = z
  .object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })
  .meta({ id: 'ValidationErrorItem' })
const validationError = z.object({ detail: z.array(problem) }).meta({ id: 'HTTPValidationError' })

/** Every refusal, and the operations that use it. */
const refusals: readonly {
  status: number
  name: string
  description: string
  schema: 'HttpErrorOut' | 'HTTPValidationError'
  of: (operation: Operation) => boolean
}[] = [
  {
    status: 401,
    name: 'Unauthorized',
    description: 'No key, or one that is not valid (any more).',
    schema: 'HttpErrorOut',
    of: isProtected,
  },
  {
    status: 403,
    name: 'Forbidden',
    description: 'The key does not allow this.',
    schema: 'HttpErrorOut',
    of: isProtected,
  },
  {
    status: 404,
    name: 'NotFound',
    description: 'Something that is named does not exist.',
    schema: 'HttpErrorOut',
    of: (operation) => isProtected(operation) && namesSomething(operation),
  },
  {
    status: 409,
    name: 'Conflict',
    description:
      'It exists already, is in flight or in another state, or the idempotency key was used for something else.',
    schema: 'HttpErrorOut',
    of: ({ access, method }) => access === 'write' || method === 'post',
  },
  {
    status: 413,
    name: 'TooLarge',
    description: 'The body is too large.',
    schema: 'HttpErrorOut',
    of: ({ body, method }) => body !== undefined || method === 'post',
  },
  {
    status: 422,
    name: 'Unprocessable',
    description: 'A field or parameter is wrong or unknown, and named.',
    schema: 'HTTPValidationError',
    of: () => true,
  },
  {
    status: 429,
    name: 'TooMany',
    description:
      'More calls than the key may make, more at once than its share, or more messages than the application may get; `retry-after` says when to try again.',
    schema: 'HttpErrorOut',
    of: ({ realm, limitedBy }) => realm !== 'public' || limitedBy !== undefined,
  },
  {
    status: 500,
    name: 'Unexpected',
    description: 'A defect of the server; its log says more.',
    schema: 'HttpErrorOut',
    of: () => true,
  },
  {
    status: 503,
    name: 'Unavailable',
    description: 'Overloaded, stopping, or without its database; `retry-after` says when to try again.',
    schema: 'HttpErrorOut',
    of: () => true,
  },
]

/** In the path, or by a filter of the query, or in the body. */
function namesSomething({ path, query, body }: Operation): boolean {
  return path.includes('{') || (query ?? body) !== undefined
}

function isProtected({ realm }: Operation): boolean {
  return realm !== 'public'
}

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const whatWeSend: Json = {
  summary: 'A message, as an endpoint gets it.',
  description:
    'POST with the exact bytes of the payload, signed by the Standard Webhooks scheme. The same `webhook-id` may come again: repeats are possible, order is not promised.',
  security: [],
  parameters: [
    header('webhook-id', 'The id of the message; the same at every repeat.'),
    header('webhook-timestamp', 'When this attempt was signed, in seconds since 1970.'),
    header(
      'webhook-signature',
      'One per living secret, separated by spaces: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, or `v1a,` and an ed25519 signature of it.',
    ),
  ],
  requestBody: { content: json({ description: 'The payload, byte for byte as it was given.' }) },
  responses: {
    '2XX': { description: 'Delivered. The body is not needed.' },
    '410': { description: 'Gone: the endpoint is disabled.' },
    '429': { description: 'Try later: `retry-after` is honoured, as with 503.' },
    default: { description: 'Failed: sent again as the retry policy says, then a dead letter.' },
  },
}

function describe(operation: Operation, schemas: Record<string, unknown>): Json {
  const { id, path, summary, realm, access, answers, query, body, method, idempotency, shape } = operation
  const answered = Object.entries(answers).map(([status, schema]) => {
    const isDone = Number(status) < 300
    return [
      status,
      {
        description: isDone ? 'Done.' : 'Refused.',
        ...(isDone && shape === 'svix' && { headers: ignoredHeader }),
        ...(schema !== null && { content: json(reference(schema, schemas)) }),
      },
    ]
  })
  const refused = refusals
    .filter((each) => each.of(operation))
    .map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }])
  return {
    operationId: id,
    tags: [tagOf(id)],
    summary,
    description: realm === 'public' ? 'Needs no key.' : `Needs ${keyFor[realm]} that may ${access}.`,
    ...(realm === 'public' && { security: [] }),
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: pathSchemas[name ?? ''] ?? nameSchema,
      })),
      ...queryParameters(query, schemas),
      ...(method === 'post' && idempotency !== 'none' ? [idempotencyHeader] : []),
    ],
    ...(body !== undefined && { requestBody: { required: true, content: json(reference(body, schemas)) } }),
    responses: Object.fromEntries([...refused, ...answered]),
  }
}

/** `v1.application.list` is about applications; `v1.search` is about itself. */
function tagOf(id: string): string {
  const [, subject = id] = id.split('.')
  return subject
}

const keyFor = {
  server: 'a key for all applications',
  application: 'a key for all applications, or one of this application,',
  everyone: 'any key',
}
const idempotencyHeader: Json = {
  name: 'idempotency-key',
  in: 'header',
  description: 'A repeat under the same key within 24 hours gets the first response again, and does nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[ -~]+$' },
}
const ignoredHeader: Json = {
  'x-posthorn-ignored': {
    description: 'Fields and parameters that were given and have no effect; absent if there are none.',
    schema: { type: 'string' },
  },
}

/** An id of ours, or the user\'s own name. */
const nameSchema: Json = { type: 'string', minLength: 1, maxLength: 256 }
const pathSchemas: Readonly<Record<string, Json>> = {
  attempt_id: idSchema('atmpt'),
  delivery_id: idSchema('dlv'),
  job_id: idSchema('job'),
  key_id: idSchema('key'),
  task_id: idSchema('job'),
  event_type_name: { type: 'string', maxLength: 256, pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$' },
}

function idSchema(kind: string): Json {
  return { type: 'string', pattern: `^${kind}_[0-9a-z]+$` }
}

function queryParameters(query: ZodType | undefined, schemas: Record<string, unknown>): Json[] {
  if (query === undefined) return []
  const { properties = {}, required = [] } = reference(query, schemas) as {
    properties?: Json
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** The schema inline; named ones go to the components. */
function reference(schema: ZodType, schemas: Record<string, unknown>): Json {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = relinked(z.toJSONSchema(schema, schemaOptions)) as Json & { $defs?: Record<string, unknown> }
  Object.assign(schemas, $defs)
  return own
}

/** Requests and responses are both described by what is on the wire. */
const schemaOptions: Parameters<typeof z.toJSONSchema>[1] = {
  io: 'input',
  unrepresentable: 'any',
  override({ jsonSchema }) {
    // The format already says it.
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    // Integers need no such bounds.
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  },
}

function relinked(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

function json(schema: unknown): Json {
  return { 'application/json': { schema } }
}
