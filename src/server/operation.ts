import type { ZodType } from 'zod'
import type { Application } from '../core/endpoint/endpoint.ts'
import type { Access } from '../core/ports/key.ts'
import type { Posthorn } from '../posthorn.ts'
import type { By } from './request/actor.ts'
import type { ApiRequest } from './request/api-request.ts'
import type { Authentication } from './request/authentication.ts'
import type { Caller } from './request/caller.ts'

/**
 * One call of the HTTP API. The table of these (`operations.ts`) is mounted, described (OpenAPI) and attacked (the test's matrix
 * of routes and keys) from the same place.
 */
export interface Operation<Query = unknown, Body = unknown> {
  /** As clients know it: `v1.application.list`. */
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With its parameters in braces: `/api/v1/app/{app_id}`. */
  readonly path: string
  readonly summary: string
  /**
   * Who has access: `public` everybody, `server` keys for all applications, `application` also the key of the one in the path,
   * `everyone` any key. An operation with `{app_id}` in its path is an `application` one, unless it says otherwise.
   */
  readonly realm: 'public' | 'server' | 'application' | 'everyone'
  /** `svix` for what clients of Svix know: they can give fields that only Svix has, which the answer names. All others are refused. */
  readonly shape?: 'svix'
  /** What the key must allow. */
  readonly access: Access
  /** Set where a customer with a link to the portal is refused: what only its provider decides. */
  readonly portal?: 'refused'
  readonly query?: ZodType<Query>
  readonly body?: ZodType<Body>
  /** How large its body can be, in bytes, if not as large as usual. */
  readonly mostBytes?: number
  /**
   * `address`, for a `public` call that costs something: how many of it are under way, and how often it comes, is limited by the caller's
   * address. `application`, for what stores a message: it counts for the application's messages per second.
   */
  readonly limitedBy?: 'address' | 'application'
  /** Of each status the schema of its body; null for none. The first is the usual one. */
  readonly answers: Readonly<Record<number, ZodType | null>>
  /**
   * Who answers a repeat under the same `idempotency-key`: the pipeline, for every POST that does not say otherwise. `own`: the operation
   * itself. `none`: nobody, because the answer holds a secret, and secrets are not kept; it is done again.
   */
  readonly idempotency?: 'own' | 'none'
  /** Set where the application in the path can be missing: the operation creates it, or asks for it by itself. */
  readonly findsApplication?: true
  /** A `Response` is for what is no JSON, or needs headers of its own. */
  handle(call: Call<Query, Body>): Promise<Answer | Response>
}

/** A request that was let in: authenticated, within its limits, and parsed. */
export interface Call<Query = unknown, Body = unknown> {
  readonly posthorn: Posthorn
  readonly caller: Caller
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The body's own bytes. */
  readonly bytes: Uint8Array
  /** The `idempotency-key` header. Only operations that keep it themselves need it: the pipeline repeats the answers of all others. */
  readonly idempotencyKey: string | null
  /** The application in the path; only operations with `{app_id}` can ask, and not those that find it themselves. */
  application(): Application
  /** Of the application in the path, or of the one that the key is for; null if there is none. */
  readonly applicationId: string | null
  readonly request: ApiRequest
  /** Who calls, and why if they say so, for the audit log. */
  readonly by: (reason?: string) => By
  readonly server: ServerParts
}

/** What an operation can know of the server that it runs in. */
export interface ServerParts {
  readonly basePath: string
  /** The caller of a key, for sign-in; null where the host program has its own. */
  readonly callerOf: Authentication['callerOf'] | null
  /** The same of a session. */
  readonly callerInSession: Authentication['callerInSession'] | null
  /** Lets callers of this machine in without a key. */
  readonly isDev: boolean
  /** Where callers reach the server, without a slash at its end; null if nobody said so. */
  readonly publicUrl: string | null
  /** How long a link to the portal is valid, unless whoever creates it says otherwise. */
  readonly portalTokenMs: number
  readonly settings: readonly ShownSetting[]
}

/** A setting with its value and where that comes from. */
export interface ShownSetting {
  readonly name: string
  readonly env: string
  readonly value: unknown
  readonly origin: 'environment' | 'default' | 'file'
  readonly unit: string
  readonly sentence: string
}

export interface Answer {
  readonly status: number
  /** Sent as JSON; a `RawJson` as it is; null for no body. */
  readonly body: unknown
}

/** Writes an operation with its types inferred from its schemas. */
export function operation<Query = unknown, Body = unknown>(given: Operation<Query, Body>): Operation {
  return given
}

export function answer(status: number, body: unknown = null): Answer {
  return { status, body }
}

/** JSON text that is passed on byte for byte: a number in a payload must not be rounded on its way. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
