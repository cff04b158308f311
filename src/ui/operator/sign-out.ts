import { remove } from '../api/call.ts'
import { session, sessionExpired } from '../state/session.ts'

export async function signOut(): Promise<void> {
  await remove('session')
  session.value = null
  // What was under way may have been refused meanwhile; that is no news to whoever signed out.
  sessionExpired.value = false
}
