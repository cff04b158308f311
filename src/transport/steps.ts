import type { Timing } from '../core/delivery/diagnostics.ts'
import type { Clock } from '../core/ports/ports.ts'

/** How long each step of a connection took, from the end of the previous one; null until a step has ended. */
export class Steps {
  dnsMs: number | null = null
  connectMs: number | null = null
  tlsMs: number | null = null
  /** The address that was reached, or the only one that is being tried. */
  address: string | null = null

  private readonly clock: Clock
  private lastAt: number

  constructor(clock: Clock) {
    this.clock = clock
    this.lastAt = clock.now()
  }

  end(step: 'dnsMs' | 'connectMs' | 'tlsMs'): void {
    const now = this.clock.now()
    this[step] = Math.max(now - this.lastAt, 0)
    this.lastAt = now
  }
}

/** The times of a request with a new connection; null for steps that have not begun. `headMs` ends with the head of the response. */
export function freshTiming(steps: Steps | null, headMs: number | null, totalMs: number): Timing {
  const { dnsMs, connectMs, tlsMs } = steps ?? { dnsMs: null, connectMs: null, tlsMs: null }
  const openedMs = (dnsMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0)
  const firstByteMs = headMs === null ? null : Math.max(headMs - openedMs, 0)
  return { dnsMs, connectMs, tlsMs, firstByteMs, totalMs, reused: false }
}

/** The times of a request on a connection that was already open. */
export function reusedTiming(headMs: number | null, totalMs: number): Timing {
  return { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: headMs, totalMs, reused: true }
}
