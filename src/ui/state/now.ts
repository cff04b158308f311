import { signal } from '@preact/signals'
import { browserClock } from '../clock.ts'

/** The time as pages show it: it moves once a second, so that countdowns and ages do. */
export const now = signal(browserClock.now())
browserClock.every(1_000, () => (now.value = browserClock.now()))
