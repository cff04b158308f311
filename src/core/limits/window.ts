import type { Limits } from './limits.ts'

/** How many requests one process may have open to one endpoint: grows with success, shrinks with trouble. */
export interface Window {
  readonly size: number
  /** Outcomes that must come in before the window may be halved again. */
  readonly graceLeft: number
  readonly failuresInRow: number
}

const slowStartSize = 5

export function startWindow(limits: Pick<Limits, 'slowStart' | 'pool'>): Window {
  return { size: limits.slowStart ? Math.min(slowStartSize, limits.pool) : limits.pool, graceLeft: 0, failuresInRow: 0 }
}

/** After a success. */
export function widen(window: Window, { pool }: Pick<Limits, 'pool'>): Window {
  return { size: Math.min(window.size + 1, pool), graceLeft: Math.max(window.graceLeft - 1, 0), failuresInRow: 0 }
}

/** After a failure: halved, at most once per window of outcomes, because one bad second must not close it. */
export function narrow(window: Window, { slowStart }: Pick<Limits, 'slowStart'>): Window {
  const failuresInRow = window.failuresInRow + 1
  if (!slowStart) return { ...window, failuresInRow }
  if (window.graceLeft > 0) return { ...window, graceLeft: window.graceLeft - 1, failuresInRow }
  const size = Math.max(Math.floor(window.size / 2), 1)
  return { size, graceLeft: size, failuresInRow }
}
