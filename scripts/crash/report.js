// The kernel ends a killed process's connections at once; we may be late to hear of it.
const slackMs = 500

/** What became of everything that was accepted, and which fault explains each repeat. */
export function report({ accepted, receipts, faults, rows, leaseMs, startedAt }) {
  const byId = groupById(receipts)
  const delivered = [...accepted].filter((id) => byId.has(id))
  const lost = [...accepted].filter((id) => !byId.has(id))
  const repeats = [...byId.values()].flatMap((same) => same.slice(1).map((receipt, index) => ({ receipt, before: same[index] })))
  const causes = repeats.map((repeat) => faults.find((fault) => explains(fault, repeat, leaseMs)))
  const unexplained = repeats.filter((_, index) => causes[index] === undefined)
  const unfinished = rows.filter(({ status }) => status !== 'delivered')
  const strangers = [...byId.keys()].filter((id) => !accepted.has(id)).length

  const time = (at) => `${((at - startedAt) / 1_000).toFixed(2).padStart(7)} s`
  return {
    accepted: accepted.size,
    delivered: delivered.length,
    lost: lost.length,
    repeats: repeats.length,
    explained: repeats.length - unexplained.length,
    isFine: accepted.size > 0 && lost.length === 0 && unexplained.length === 0 && unfinished.length === 0,
    lines: [
      ...faults.map((fault) => `${time(fault.at)}  ${fault.name}: explains ${causes.filter((cause) => cause === fault).length} repeats`),
      ...(strangers > 0 ? [`${strangers} more were delivered whose sender never heard that they were stored`] : []),
      ...lost.map((id) => `lost: ${id}`),
      ...unfinished.map(({ id, status }) => `not delivered, but ${status}: ${id}`),
      ...unexplained.map(({ receipt, before }) => `unexplained repeat of ${receipt.id}: ${time(before.at)}, again ${time(receipt.at)}`),
    ],
  }
}

export function lastLine({ accepted, delivered, lost, repeats, explained }) {
  return `accepted ${accepted} delivered ${delivered} lost ${lost} repeats ${repeats} explained ${explained}`
}

/** A kill explains what came on the connections of the killed; a restart what could not be marked meanwhile, both within a lease; an orderly end nothing. */
function explains(fault, { receipt, before }, leaseMs) {
  if (receipt.at < fault.at || fault.kind === 'orderly') return false
  if (fault.kind === 'restart') return before.at >= fault.at - leaseMs && before.at <= fault.endedAt + leaseMs
  const { closedAt } = before.connection
  return before.at >= fault.at - leaseMs && closedAt !== null && closedAt >= fault.at && closedAt <= fault.endedAt + slackMs
}

function groupById(receipts) {
  const byId = new Map()
  for (const receipt of receipts) byId.set(receipt.id, (byId.get(receipt.id) ?? []).concat(receipt))
  return byId
}
