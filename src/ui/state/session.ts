import { effect, signal } from '@preact/signals'
import { browserClock } from '../clock.ts'
import type { Session } from '../api/answers.ts'

/** Who is signed in: undefined until the server was asked, null if nobody is. */
export const session = signal<Session | null | undefined>(undefined)

/** True once a session has ended that nobody signed out of: it expired, or its key was revoked. */
export const sessionExpired = signal(false)

/** True from a call that nobody answered until the next that somebody does. */
export const connectionLost = signal(false)

/** The time as pages show it: it moves once a second, so that countdowns and ages do. */
export const now = signal(browserClock.now())
browserClock.every(1_000, () => (now.value = browserClock.now()))

export type Theme = 'system' | 'light' | 'dark'
export const theme = signal<Theme>(storedTheme())
effect(() => {
  document.documentElement.dataset['theme'] = theme.value
  localStorage.setItem('posthorn.theme', theme.value)
})

/** What was done, said once to eyes and to screen readers. */
export interface Notice {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
  readonly href: string | null
}
export const notices = signal<readonly Notice[]>([])
const noticeLastsMs = 8_000
const mostNotices = 3
let lastNotice = 0

export function notify(tone: Notice['tone'], text: string, href: string | null = null): void {
  lastNotice += 1
  const id = lastNotice
  notices.value = [...notices.value, { id, tone, text, href }].slice(-mostNotices)
  browserClock.after(noticeLastsMs, () => dismiss(id))
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/** True if the caller sees one application only: the portal. */
export function isPortal(): boolean {
  return typeof session.value?.caller.applicationId === 'string'
}

export function canWrite(): boolean {
  return session.value?.caller.access === 'write'
}

function storedTheme(): Theme {
  const stored = localStorage.getItem('posthorn.theme')
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}
