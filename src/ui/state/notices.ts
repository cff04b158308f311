import { signal } from '@preact/signals'
import { browserClock } from '../clock.ts'

/** Short messages about what was done, for the screen and for screen readers. */
interface Notice {
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
