import { signal } from '@preact/signals'
import type { Session } from '../api/answers.ts'

/** Who is signed in: undefined until the server has answered, null if nobody is. */
export const session = signal<Session | null | undefined>(undefined)

/** True after a session has expired, or its key was revoked; not after a sign-out. */
export const sessionExpired = signal(false)

export function canWrite(): boolean {
  return session.value?.caller.access === 'write'
}
