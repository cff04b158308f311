import { steadyMs } from '../clock.ts'
import type { Meter, MeteredMark } from '../core/ports/meter.ts'

type Counted = Omit<Meter, 'nowMs' | 'attach' | 'opened' | 'stopped'>

/** A call to a meter, for the wire. */
export type MeterCall =
  | { readonly [Name in Exclude<keyof Counted, 'marked'>]: readonly [Name, ...Parameters<Counted[Name]>] }[Exclude<
      keyof Counted,
      'marked'
    >]
  | MarkedCall

/** There is one for every delivery: leaving out field names halves the cost. */
type MarkedCall = readonly [
  name: 'marked',
  id: string,
  endpointId: string,
  createdAt: number,
  status: MeteredMark['mark']['status'],
  marked: Parameters<Meter['marked']>[2],
  outcome: Attempted['outcome'] | null,
  epoch: number,
  statusCode: number | null,
  startedAt: number,
  tookMs: number,
]

type Attempted = NonNullable<MeteredMark['attempt']>

/** A meter that records calls for one in another thread. */
export function recordingMeter(say: (call: MeterCall) => void): Meter {
  return {
    nowMs: steadyMs,
    // These are between the meter itself and its Posthorn.
    attach: () => undefined,
    opened: () => undefined,
    stopped: async () => undefined,

    messageAccepted: (way) => say(['messageAccepted', way]),
    messagesRefused: (code, count) => say(['messagesRefused', code, count]),
    claimed: (claims, tookMs) => say(['claimed', claims.map(({ tookOver }) => ({ tookOver })), tookMs]),
    marked({ delivery: { id, endpointId, createdAt } }, { mark: { status }, attempt }, marked) {
      const { outcome = null, epoch = 0, statusCode = null, startedAt = 0, tookMs = 0 } = attempt ?? {}
      say(['marked', id, endpointId, createdAt, status, marked, outcome, epoch, statusCode, startedAt, tookMs])
    },
    interrupted: () => say(['interrupted']),
    leasesRenewed: (count) => say(['leasesRenewed', count]),
    storeCalled: (call, tookMs) => say(['storeCalled', call, tookMs]),
    storeFailed: (call, code, tookMs) => say(['storeFailed', call, code, tookMs]),
    committed: (call, rows) => say(['committed', call, rows]),
  }
}

/** Replays recorded calls on a meter. */
export function report(meter: Meter, call: MeterCall): void {
  if (call[0] !== 'marked') {
    const [name, ...given] = call
    return void Reflect.apply(meter[name], meter, given)
  }
  const [, id, endpointId, createdAt, status, marked, outcome, epoch, statusCode, startedAt, tookMs] = call
  const attempt = outcome === null ? null : { epoch, outcome, statusCode, startedAt, tookMs }
  meter.marked({ delivery: { id, endpointId, createdAt } }, { mark: { status }, attempt }, marked)
}
