import { callWithKey, get, post } from '../api/call.ts'
import type { Session } from '../api/answers.ts'
import { browserClock } from '../clock.ts'
import { ask } from './parts/question.tsx'
import { go, href, path } from '../state/router.ts'
import { session } from '../state/session.ts'
import { isFramed } from './frame.ts'
import { say } from './settings.ts'

const retryMs = 3_000

/** Asks the server who is signed in. A link carries its key in the fragment, which is never sent to a server. */
export async function enter(): Promise<void> {
  const key = new URLSearchParams(window.location.hash.slice(1)).get('key')
  if (key === null && path.value === 'login' && !isFramed) return window.location.replace(href(''))
  if (key !== null) go(path.value === 'login' ? 'portal' : path.value + window.location.search, 'replace')
  if (isFramed) {
    callWithKey(key)
    return key === null ? void (session.value = null) : identify(null)
  }
  if (key !== null) await openSession(key)
  return identify(key)
}

/** The key is sent to the server once, which sets a cookie that no script can read. */
async function openSession(key: string): Promise<void> {
  const opened = await post('session', { key })
  if (opened.kind !== 'refused' || opened.code !== 'session_exists') return
  // Somebody who is signed in is asked before a link replaces their session.
  const question = { title: say('entry.replace_title'), sentence: opened.detail, action: say('entry.replace_action') }
  if (await ask(question)) await post('session', { key, replace: true })
}

async function identify(key: string | null): Promise<void> {
  const answer = await get<Session>('session')
  if (answer.kind === 'unreachable') return void browserClock.after(retryMs, () => void identify(key))
  if (answer.kind === 'refused') return void (session.value = null)
  if (answer.value.caller.applicationId !== null) return void (session.value = answer.value)
  // A development server treats everybody on this machine as an operator: there the key is used as it is.
  if (key === null || !answer.value.dev) return window.location.replace(href(''))
  callWithKey(key)
  return identify(null)
}
