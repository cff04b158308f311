import type { Slot } from './run.js'

export function makeSlot(root: string): Slot
