import type { Instant } from '../../time.ts'

/** Responses of the HTTP API stored under idempotency keys, so that a repeated request gets the same response. */
export interface ReplyDirectory {
  /** Takes the key for this request until `until`; or returns the stored response, or that another request is under way. */
  takeReply(reply: ReplyRequest): Promise<TakenReply>
  /** Stores the response until `expiresAt`. */
  saveReply(reply: SavedReply): Promise<void>
  /** Releases the key, because nothing was done under it. */
  dropReply(key: string): Promise<void>
}

interface SavedReply {
  readonly key: string
  readonly status: number
  readonly body: string
  /** The application, if it was not known before. */
  readonly applicationId?: string | null | undefined
  readonly expiresAt: Instant
}

interface ReplyRequest {
  readonly key: string
  readonly requestHash: string
  /** The application: the response is erased with it. */
  readonly applicationId?: string | null | undefined
  readonly now: Instant
  readonly until: Instant
}

export type TakenReply =
  | { readonly kind: 'taken' }
  | { readonly kind: 'kept'; readonly status: number; readonly body: string }
  | { readonly kind: 'busy' }
  /** The key was used for another request. */
  | { readonly kind: 'conflict' }
