import { signal } from '@preact/signals'
import type { Session } from '../api/answers.ts'

/** Who is signed in: undefined until the server was asked, null if nobody is. */
export const session = signal<Session | null | undefined>(undefined)

/** True once a session has expired that nobody signed out of, or its key was revoked. */
export const sessionExpired = signal(false)

export function canWrite(): boolean {
  return session.value?.caller.access === 'write'
}
