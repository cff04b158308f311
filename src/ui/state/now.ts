import { signal } from '@preact/signals'
import { browserClock } from '../clock.ts'

/** The current time, updated once a second, so that countdowns and ages are. */
export const now = signal(browserClock.now())
browserClock.every(1_000, () => (now.value = browserClock.now()))
