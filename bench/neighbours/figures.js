// What a run shows, and whether the runs beside a neighbour are as good as those without.
import { percentile } from '../common.js'

const mostRatio = 1.2
const mostMoreMs = 50
const leastShare = 0.9

/** Figures of what was sent in the measured time; what was not received by the end is as old as it then was. */
export function figuresOf({ fromMs, untilMs, sentAtMs, lateMs, refused }, receivedAtMs, endMs) {
  const latenciesMs = []
  const late = []
  let missing = 0
  let receivedMeanwhile = 0
  for (const [seq, sentAt] of sentAtMs.entries()) {
    const receivedAt = receivedAtMs[seq] ?? 0
    if (receivedAt >= fromMs && receivedAt < untilMs) receivedMeanwhile += 1
    if (sentAt < fromMs || sentAt >= untilMs) continue
    if (receivedAt === 0) missing += 1
    latenciesMs.push((receivedAt === 0 ? endMs : receivedAt) - sentAt)
    if (seq < lateMs.length) late.push(lateMs[seq])
  }
  return {
    perSecond: (receivedMeanwhile * 1_000) / (untilMs - fromMs),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    sent: latenciesMs.length,
    missing,
    refused,
    /** How late the sender itself was: the neighbour kept the loop of the process busy. */
    lateP99Ms: percentile(late, 0.99),
  }
}

/** Compares medians. */
export function judge(besides, alones) {
  const beside = mediansOf(besides)
  const alone = mediansOf(alones)
  const mostP99Ms = Math.max(mostRatio * alone.p99Ms, alone.p99Ms + mostMoreMs)
  const leastPerSecond = leastShare * alone.perSecond
  return {
    alone,
    beside,
    mostP99Ms,
    leastPerSecond,
    isWithinBounds: beside.p99Ms <= mostP99Ms && beside.perSecond >= leastPerSecond,
  }
}

export function mediansOf(runs) {
  const names = ['perSecond', 'p50Ms', 'p99Ms', 'missing', 'refused', 'lateP99Ms']
  return Object.fromEntries(
    names.map((name) => [
      name,
      percentile(
        runs.map((run) => run[name]),
        0.5,
      ),
    ]),
  )
}

/** What of the neighbour's doing was not seen in these runs; null if it was there in each. */
export function missingProof(proof, runs) {
  for (const [name, least] of Object.entries(proof)) {
    const seen = Math.min(...runs.map(({ neighbour }) => neighbour[name] ?? 0))
    if (seen < least) return `${name}: ${seen} of at least ${least}`
  }
  return null
}
