/** Times are those of `performance.now()`. */
export interface CrashRun {
  /** The ids of messages, and when each was accepted. */
  readonly accepted: ReadonlyMap<string, number>
  readonly receipts: readonly { readonly id: string; readonly at: number; readonly pid: number | null }[]
  readonly faults: readonly CrashFault[]
  /** Deliveries that have not ended well. */
  readonly rows: readonly {
    readonly id: string
    readonly messageId: string
    readonly status: string
    readonly reason?: string | null
  }[]
  /** How long before a fault something may have come that it kept from being marked: a lease, or longer if the fault takes its time. */
  readonly reachMs: number
  readonly startedAt: number
  /** The one message that may end dead, or stay open. */
  readonly poisonId?: string | null
  /** What else went wrong. */
  readonly problems?: readonly string[]
  /** What else is worth saying. */
  readonly notes?: readonly string[]
}

export interface CrashFault {
  readonly kind: 'kill' | 'stop' | 'partition' | 'outage' | 'orderly'
  readonly name: string
  readonly at: number
  readonly endedAt: number
  /** The process that it befell, if it was one. */
  readonly pid?: number
  /** False if the machine did it by itself, because it is busy. */
  readonly isOurs?: boolean
}

export interface CrashReport {
  readonly accepted: number
  readonly delivered: number
  readonly dead: number
  readonly open: number
  readonly lost: number
  readonly repeats: number
  readonly explained: number
  readonly longestRecoveryMs: number
  readonly isFine: boolean
  readonly lines: readonly string[]
}

export function report(run: CrashRun): CrashReport
export function lastLines(report: CrashReport): readonly string[]
