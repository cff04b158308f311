import { signal } from '@preact/signals'

/** True from a call that nobody answered until the next that somebody does. */
export const connectionLost = signal(false)
