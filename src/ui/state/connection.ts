import { signal } from '@preact/signals'

/** True from a call without an answer until the next one that is answered. */
export const connectionLost = signal(false)
