import type { Instant } from '../time.ts'

export interface Actor {
  readonly name: string
  readonly reason?: string | undefined
  /** The name of the key that was used, if there was one. */
  readonly keyId?: string | undefined
  /** `library`, `cli`, an IP address, or `portal` and an IP address; not given for what Posthorn does by itself. */
  readonly from?: string | undefined
}

/** What a person did, for the audit log: recorded in the transaction that does it. */
export interface AuditNote {
  readonly action: AuditAction
  readonly by: Actor
}

/** An audit entry about something that changed nothing in the store, such as reading a secret. */
export interface Noted extends AuditNote {
  readonly target: string
  readonly applicationId?: string | null | undefined
  readonly at: Instant
}

export const auditActions = [
  'requeue',
  'cancel',
  'resend',
  'replay',
  'pause',
  'resume',
  'enable',
  'disable',
  'delete',
  'rotate',
  'reveal',
  'endpoint.create',
  'endpoint.update',
  'application.create',
  'application.update',
  'application.delete',
  'application.erase',
  'event-type.create',
  'event-type.update',
  'event-type.delete',
  'message.erase',
  'attempt.erase',
  'job.pause',
  'job.resume',
  'job.cancel',
  'key.create',
  'key.revoke',
  'portal.create',
  'portal.use',
  'session.open',
  'session.refuse',
  'session.end',
  'alarm.acknowledge',
] as const
export type AuditAction = (typeof auditActions)[number]

/** Fields by name, with credentials masked. */
export type AuditedFields = Readonly<Record<string, unknown>>

export interface AuditEntry {
  readonly id: string
  readonly at: Instant
  readonly actor: string
  /** The id of the key that was used; null if there was none. */
  readonly actorId: string | null
  /** Where it came from; null for what Posthorn did by itself. */
  readonly from: string | null
  readonly action: AuditAction
  readonly target: string
  /** Set if it concerns one application only. */
  readonly applicationId: string | null
  readonly count: number
  readonly reason: string | null
  /** The changed fields, as they were; null if there was nothing before, or nothing changed. */
  readonly before: AuditedFields | null
  /** The same fields after the change. */
  readonly after: AuditedFields | null
}

/** All given conditions must hold. */
export interface AuditFilter {
  /** A name, or the id of a key. */
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  readonly target?: string | undefined
  readonly applicationId?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
}
