import { signal } from '@preact/signals'
import type { Session } from '../api/answers.ts'

/** Who is signed in: undefined until the server was asked, null if nobody is. */
export const session = signal<Session | null | undefined>(undefined)

/** True once a session has expired that nobody signed out of, or its key was revoked. */
export const sessionExpired = signal(false)

/** True if the caller sees one application only: the portal. */
export function isPortal(): boolean {
  return typeof session.value?.caller.applicationId === 'string'
}

export function canWrite(): boolean {
  return session.value?.caller.access === 'write'
}
