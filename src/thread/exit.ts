const stops = new Set<() => void>()

/**
 * Calls back when the process ends, for any reason. Ending a thread while it is inside a driver aborts the process,
 * so each is asked to leave it first. Returns a function that removes the callback.
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
