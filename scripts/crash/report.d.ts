/** Times are those of `performance.now()`. */
export interface CrashRun {
  readonly accepted: ReadonlySet<string>
  readonly receipts: readonly { readonly id: string; readonly at: number; readonly connection: { readonly closedAt: number | null } }[]
  readonly faults: readonly { readonly kind: 'kill' | 'restart' | 'orderly'; readonly name: string; readonly at: number; readonly endedAt: number }[]
  /** Deliveries that have not ended well. */
  readonly rows: readonly { readonly id: string; readonly status: string }[]
  readonly leaseMs: number
  readonly startedAt: number
}

export interface CrashReport {
  readonly accepted: number
  readonly delivered: number
  readonly lost: number
  readonly repeats: number
  readonly explained: number
  readonly isFine: boolean
  readonly lines: readonly string[]
}

export function report(run: CrashRun): CrashReport
export function lastLine(report: CrashReport): string
