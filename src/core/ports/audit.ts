import type { Instant } from '../time.ts'

export interface Actor {
  readonly name: string
  readonly reason?: string | undefined
}

/** What a person did, for the audit log: noted in the transaction that does it. */
export interface AuditNote {
  readonly action: AuditAction
  readonly by: Actor
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
  'job.pause',
  'job.resume',
  'job.cancel',
  'key.create',
  'key.revoke',
] as const
export type AuditAction = (typeof auditActions)[number]

export interface AuditEntry {
  readonly id: string
  readonly at: Instant
  readonly actor: string
  readonly action: AuditAction
  readonly target: string
  readonly count: number
  readonly reason: string | null
}
