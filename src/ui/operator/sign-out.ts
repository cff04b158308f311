import { remove } from '../api/call.ts'
import { session, sessionExpired } from '../state/session.ts'

export async function signOut(): Promise<void> {
  await remove('session')
  session.value = null
  // Requests under way may be refused meanwhile; somebody who has signed out need not hear of it.
  sessionExpired.value = false
}
