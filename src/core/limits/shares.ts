/** The sharers that a new worker starts with: until the others make room, its share of anything is one. */
export const notYetSharing = Number.POSITIVE_INFINITY

/** One worker's share of an endpoint's pool or of a step of a ramp: rounded up, so that nobody is left without. */
export function shareOf(whole: number, sharers: number): number {
  return Math.max(Math.ceil(whole / Math.max(sharers, 1)), 1)
}

/**
 * The number of workers by which a worker divides from now on, given the number it has announced, and those of the other workers. Until
 * all others divide by every live worker, its share does not grow. It never divides by fewer than it has announced, or a new worker could
 * take the same part in the meantime.
 */
export function nextSharers(current: number, announced: number, announcedByOthers: readonly number[]): number {
  const workers = announcedByOthers.length + 1
  const sharers = Math.max(workers, announced)
  return announcedByOthers.every((among) => among >= workers) ? sharers : Math.max(current, sharers)
}

/** The number of workers by which a worker can announce to divide a pool while it has up to `mostOpen` requests open to one endpoint. */
export function sharesAmong(pool: number, workers: number, mostOpen: number): number {
  let among = workers
  while (among > 1 && shareOf(pool, among) < mostOpen) among -= 1
  return among
}
