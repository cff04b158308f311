/** Hears what every process that delivers reports of itself: the connections that it opened, and that it stood still. */
export function makeWitness({ leaseMs }, receiver, faults) {
  return {
    preloads: ['report-connections', 'report-stalls'],
    // A heartbeat comes every third of a lease: what is late by as much may be too late.
    environment: { CRASH_STALL_MS: String(leaseMs / 3) },
    heard(message, pid) {
      if (message.kind === 'connected') receiver.owned(message, pid)
      if (message.kind === 'stalled') faults.push(stall(message.ms, pid))
    },
  }
}

function stall(ms, pid) {
  const endedAt = performance.now()
  return {
    kind: 'stop',
    name: `the machine left process ${pid} without a turn for ${Math.round(ms)} ms`,
    at: endedAt - ms,
    endedAt,
    pid,
    isOurs: false,
  }
}
