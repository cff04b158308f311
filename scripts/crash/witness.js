/** Collects what every delivering process reports about itself: signs of life, opened connections, and stalls. */
export function makeWitness({ leaseMs }, receiver, faults) {
  const aliveAt = new Map()
  return {
    preloads: ['report-connections', 'report-stalls'],
    // A heartbeat comes every third of a lease: a stall of that length may be too long.
    environment: { CRASH_STALL_MS: String(leaseMs / 3) },
    /** When a process last had a turn. */
    aliveAt: (pid) => aliveAt.get(pid),
    heard(message, pid) {
      aliveAt.set(pid, performance.now())
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
