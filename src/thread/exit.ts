const stops = new Set<() => void>()

/**
 * Calls back when the process ends, whoever ends it. A thread that is ended while it is inside of a driver aborts the process,
 * so each is asked to leave it first. Returns how to be forgotten.
 */
export function stopBeforeExit(stop: () => void): () => void {
  if (stops.size === 0) process.on('exit', stopAll)
  stops.add(stop)
  return () => {
    stops.delete(stop)
    if (stops.size === 0) process.off('exit', stopAll)
  }
}

function stopAll(): void {
  for (const stop of stops) stop()
}
