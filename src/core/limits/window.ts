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

/** One worker's share of an endpoint's pool: rounded up, so that nobody is left without. */
export function shareOfPool(pool: number, workers: number): number {
  return Math.ceil(pool / Math.max(workers, 1))
}

/**
 * A worker's next share of a pool, given the number of workers by which it has announced to divide the pool, and the same number of each
 * other worker. Until all others count every live worker, its share does not grow: a new worker starts with a single request. It never
 * takes more than it has announced, or a new worker could take the same part in the meantime.
 */
export function nextShare(
  pool: number,
  current: number,
  ownSharesAmong: number,
  othersShareAmong: readonly number[],
): number {
  const workers = othersShareAmong.length + 1
  const share = Math.min(shareOfPool(pool, workers), shareOfPool(pool, ownSharesAmong))
  return othersShareAmong.every((among) => among >= workers) ? share : Math.min(current, share)
}

/** The number of workers by which a worker can announce to divide a pool while it has up to `mostOpen` requests open to one endpoint. */
export function sharesAmong(pool: number, workers: number, mostOpen: number): number {
  let among = workers
  while (among > 1 && shareOfPool(pool, among) < mostOpen) among -= 1
  return among
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
