import type { ZodType } from 'zod'
import type { Application } from '../core/endpoint/endpoint.ts'
import type { Access } from '../core/ports/key.ts'
import type { Posthorn } from '../posthorn.ts'
import type { By } from './request/actor.ts'
import type { ApiRequest } from './request/api-request.ts'
import type { Authentication } from './request/authentication.ts'
import type { Caller } from './request/caller.ts'

/**
 * One call of the HTTP API. The table of these (`operations.ts`) is the single source for mounting, describing (OpenAPI) and attacking them
 * (the tests' matrix of routes and keys).
 */
export interface Operation<Query = unknown, Body = unknown> {
  /** As clients know it: `v1.application.list`. */
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With its parameters in braces: `/api/v1/app/{app_id}`. */
  readonly path: string
  readonly summary: string
  /**
   * Who has access: `public` everybody, `server` keys for all applications, `application` also a key of the application in the path,
   * `everyone` any key. An operation with `{app_id}` in its path is an `application` one by default.
   */
  readonly realm: 'public' | 'server' | 'application' | 'everyone'
  /** `svix` for calls that Svix clients know: they may send fields that only Svix has, which the response lists. Other calls refuse them. */
  readonly shape?: 'svix'
  /** The permission that the key needs. */
  readonly access: Access
  /** Set if customers with a link to the portal are refused, because only their provider decides this. */
  readonly portal?: 'refused'
  readonly query?: ZodType<Query>
  readonly body?: ZodType<Body>
  /** The largest body in bytes, if not the default. */
  readonly mostBytes?: number
  /**
   * `address`, for a `public` call that costs something: concurrency and rate are limited by the caller's address. `application`, for calls
   * that store a message: they count towards the application's messages per second.
   */
  readonly limitedBy?: 'address' | 'application'
  /** The body schema of each status; null for none. The first is the usual one. */
  readonly answers: Readonly<Record<number, ZodType | null>>
  /**
   * Who answers a repeat under the same `idempotency-key`: by default, for every POST, the pipeline. `own`: the operation itself.
   * `none`: nobody, because the response contains a secret, which is not stored; the call is executed again.
   */
  readonly idempotency?: 'own' | 'none'
  /** Set if the application in the path may be missing: the operation creates it, or looks it up itself. */
  readonly findsApplication?: true
  /** A `Response` is for anything but JSON, or for additional headers. */
  handle(call: Call<Query, Body>): Promise<Answer | Response>
}

/** An accepted request: authenticated, within its limits, and parsed. */
export interface Call<Query = unknown, Body = unknown> {
  readonly posthorn: Posthorn
  readonly caller: Caller
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The body's exact bytes. */
  readonly bytes: Uint8Array
  /** The `idempotency-key` header, for operations that store it themselves: for all others the pipeline repeats the response. */
  readonly idempotencyKey: string | null
  /** The application in the path; only for operations with `{app_id}` that do not look it up themselves. */
  application(): Application
  /** The application in the path, or the key's; null if there is none. */
  readonly applicationId: string | null
  readonly request: ApiRequest
  /** Who is calling, and the reason if given, for the audit log. */
  readonly by: (reason?: string) => By
  readonly server: ServerParts
}

/** What an operation can know about the server it runs in. */
export interface ServerParts {
  readonly basePath: string
  /** The caller for a key, for sign-in; null if the host program authenticates callers itself. */
  readonly callerOf: Authentication['callerOf'] | null
  /** The same for a session. */
  readonly callerInSession: Authentication['callerInSession'] | null
  /** Lets callers on this machine in without a key. */
  readonly isDev: boolean
  /** The public URL of the server, without a trailing slash; null if not configured. */
  readonly publicUrl: string | null
  /** How long a link to the portal is valid by default. */
  readonly portalTokenMs: number
  readonly settings: readonly ShownSetting[]
}

/** A setting with its value and source. */
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
  /** Sent as JSON; a `RawJson` unchanged; null for no body. */
  readonly body: unknown
}

/** Defines an operation, inferring its types from its schemas. */
export function operation<Query = unknown, Body = unknown>(given: Operation<Query, Body>): Operation {
  return given
}

export function answer(status: number, body: unknown = null): Answer {
  return { status, body }
}

/** JSON text that is passed on byte for byte: a number in a payload must not be rounded. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
