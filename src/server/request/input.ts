import { z } from 'zod'
import { unprocessable } from '../errors/error-response.ts'
import type { Problem } from '../errors/error-response.ts'
import { problemOf } from './ignored-fields.ts'
import type { Ignored } from './ignored-fields.ts'
import { fieldsOf, unknownIn } from './known-fields.ts'
import { parseJson, readBody } from '../http/request-body.ts'
import type { ReserveBytes } from '../http/request-body.ts'
import type { Call, Operation } from '../operation.ts'
import type { ApiRequest } from './api-request.ts'
import { problemsIn } from '../errors/problems.ts'
import { searchOf } from '../http/url.ts'

/** The input of an operation, and which parts of the request have no effect. */
interface Input extends Pick<Call, 'query' | 'body' | 'bytes'> {
  readonly ignored: readonly Ignored[]
}

const noBytes = new Uint8Array()
const nothing = z.object({})
const nothingOrNull = nothing.nullish()

/** Query and body as parsed by their schemas; or the response that names every invalid field. */
export async function readInput(
  operation: Operation,
  request: ApiRequest,
  isStrict: boolean,
  reserve: ReserveBytes,
): Promise<Input | Response> {
  const query = readQuery(operation, request)
  const body = await readBodyOf(operation, request, reserve)
  if (body instanceof Response) return body
  const ignored = [...query.ignored, ...body.ignored]
  // Svix clients may send fields that only Svix knows; in our own calls such a field is a typo.
  const isRefused = isStrict || operation.shape !== 'svix'
  const problems = [...query.problems, ...body.problems, ...(isRefused ? ignored.map(problemOf) : [])]
  return problems.length > 0
    ? unprocessable(problems)
    : { query: query.value, body: body.value, bytes: body.bytes, ignored }
}

interface Part {
  readonly value: unknown
  readonly problems: readonly Problem[]
  readonly ignored: readonly Ignored[]
}

function readQuery({ query = nothing }: Operation, request: ApiRequest): Part {
  const given = queryOf(searchOf(request.url))
  return checked('query', query, given)
}

async function readBodyOf(
  { body, method, mostBytes }: Operation,
  request: ApiRequest,
  reserve: ReserveBytes,
): Promise<(Part & { readonly bytes: Uint8Array }) | Response> {
  const schema = body ?? (method === 'post' ? nothingOrNull : undefined)
  if (schema === undefined) return { value: undefined, problems: [], ignored: [], bytes: noBytes }
  const bytes = await readBody(request, mostBytes, reserve)
  if (bytes instanceof Response) return bytes
  const json = parseJson(bytes)
  if (json instanceof Response) return json
  return { ...checked('body', schema, json.value), bytes }
}

function checked(place: 'body' | 'query', schema: z.ZodType, value: unknown): Part {
  const ignored = unknownIn(fieldsOf(schema), value).map((field): Ignored => ({ ...field, place }))
  const parsed = schema.safeParse(value)
  return parsed.success
    ? { value: parsed.data, problems: [], ignored }
    : { value: undefined, problems: problemsIn(place, parsed.error.issues, value), ignored }
}

/** A parameter that is given more than once becomes a list; clients write that as `a=1&a=2`, `a[]=1&a[]=2` or `a[0]=1&a[1]=2`. */
function queryOf(search: string): Record<string, string | string[]> {
  if (search === '') return {}
  const values = new Map<string, string[]>()
  for (const [written, value] of new URLSearchParams(search)) {
    const name = written.replace(/\[\d{0,4}\]$/, '')
    values.set(name, [...(values.get(name) ?? []), value])
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, oneOrMore(all)]))
}

function oneOrMore(values: string[]): string | string[] {
  const [first, ...others] = values
  return first !== undefined && others.length === 0 ? first : values
}
