// A woken process may have stood still between its last look at a lease and the request: what it sends just then is late.
const wakingMs = 1_000
const mostListed = 20

/** What became of everything that was accepted, which fault explains each repeat, and how long what it hit had to wait. */
export function report({ accepted, receipts, faults, rows, reachMs, startedAt, poisonId = null, waiting = new Set(), problems = [], notes = [] }) {
  const byId = groupById(receipts)
  const fates = fatesOf(accepted, byId, rows)
  const repeats = [...byId.values()].flatMap((same) => same.slice(1).map((receipt, index) => ({ receipt, before: same[index] })))
  // Ours first: a process that we stop says that it stood still, too.
  const suspects = [...faults.filter(isOurs), ...faults.filter((fault) => !isOurs(fault))]
  const causes = repeats.map((repeat) => suspects.find((fault) => explains(fault, repeat, reachMs)))
  const unexplained = repeats.filter((_, index) => causes[index] === undefined)
  const recoveries = faults.map((fault) => (isOurs(fault) ? recoveryMs(fault, repeats.filter((_, index) => causes[index] === fault), accepted, byId, poisonId) : 0))
  const dead = rows.filter(({ status }) => status === 'dead')
  const open = rows.filter(({ status }) => status !== 'dead')
  const innocent = rows.filter(({ id, messageId, status }) => messageId !== poisonId && !(waiting.has(id) && status !== 'dead'))
  const strangers = [...byId.keys()].filter((id) => !accepted.has(id)).length
  const late = repeats.filter(({ receipt, before }) => faults.some((fault) => isLate(fault, receipt, before))).length

  const lineOf = (fault, count, ms) => (isOurs(fault) || count > 0 ? [`${time(fault.at)}  ${fault.name}: explains ${count} repeats, longest recovery ${Math.ceil(ms)} ms`] : [])
  const time = (at) => `${((at - startedAt) / 1_000).toFixed(2).padStart(7)} s`
  return {
    accepted: accepted.size,
    delivered: fates.delivered.length,
    dead: dead.length,
    open: open.length,
    lost: fates.lost.length,
    repeats: repeats.length,
    explained: repeats.length - unexplained.length,
    longestRecoveryMs: Math.ceil(Math.max(0, ...recoveries)),
    isFine: accepted.size > 0 && fates.lost.length === 0 && unexplained.length === 0 && innocent.length === 0 && problems.length === 0,
    lines: [
      ...faults.flatMap((fault, index) => lineOf(fault, causes.filter((cause) => cause === fault).length, recoveries[index])),
      ...notes,
      ...(strangers > 0 ? [`${strangers} more were delivered whose sender never heard that they were stored`] : []),
      ...(late > 0 ? [`${late} were sent by a process that had just woken up, after another had sent them`] : []),
      ...some(fates.lost.map((id) => `lost: ${id}`)),
      ...some(innocent.map(({ id, status, reason }) => `not delivered, but ${status}${reason === undefined || reason === null ? '' : ` (${reason})`}: ${id}`)),
      ...some(unexplained.map(({ receipt, before }) => `unexplained repeat of ${receipt.id}: ${time(before.at)} by ${before.pid}, again ${time(receipt.at)} by ${receipt.pid}`)),
      ...some(problems),
      ...(open.length > 0 ? [`open ${open.length}`] : []),
    ],
  }
}

/** The lines that others read with programs: what comes last never changes its form. */
export function lastLines({ accepted, delivered, dead, lost, repeats, explained, longestRecoveryMs }) {
  return [
    `longest recovery ${longestRecoveryMs} ms`,
    `accepted ${accepted} delivered ${delivered} dead ${dead} lost ${lost} repeats ${repeats} explained ${explained}`,
  ]
}

/** What the machine does by itself explains repeats as well, but is no measure of recovery. */
function isOurs({ isOurs: ours = true }) {
  return ours
}

/** Lost is what was accepted, came nowhere, and is neither on record as dead nor to be sent any more. */
function fatesOf(accepted, byId, rows) {
  const unfinished = new Set(rows.map(({ messageId }) => messageId))
  const ended = [...accepted.keys()].filter((id) => !unfinished.has(id))
  return { delivered: ended.filter((id) => byId.has(id)), lost: ended.filter((id) => !byId.has(id)) }
}

/**
 * A kill explains what its process had sent; a stop or a partition, too, and also until it is over; an outage of the store what nobody
 * could mark meanwhile: all within its reach. An orderly end explains nothing.
 */
function explains(fault, { receipt, before }, reachMs) {
  if (receipt.at < fault.at) return false
  const isSince = before.at >= (fault.since ?? fault.at) - reachMs
  switch (fault.kind) {
    case 'kill':
      return isSince && before.pid === fault.pid
    case 'stop':
    case 'partition':
      return (isSince && before.pid === fault.pid && before.at <= fault.endedAt + reachMs) || isLate(fault, receipt, before)
    case 'outage':
      return isSince && before.at <= fault.endedAt + reachMs
    default:
      return false
  }
}

function isLate(fault, receipt, before) {
  return fault.kind === 'stop' && receipt.pid === fault.pid && before.pid !== fault.pid && receipt.at >= fault.at && receipt.at <= fault.endedAt + wakingMs
}

/** From the fault, or from the end of an outage, to the next receipt of whatever it hit: what came again, and what had not come yet. */
function recoveryMs(fault, explained, accepted, byId, poisonId) {
  const since = fault.kind === 'outage' ? fault.endedAt : fault.at
  const again = explained.filter(({ receipt }) => receipt.id !== poisonId).map(({ receipt }) => receipt.at)
  const delayed = [...accepted].filter(([id, at]) => at < fault.at && id !== poisonId).map(([id]) => byId.get(id)?.[0]?.at ?? 0).filter((at) => at > fault.at)
  return [...again, ...delayed].reduce((longest, at) => Math.max(longest, at - since), 0)
}

function groupById(receipts) {
  const byId = new Map()
  for (const receipt of receipts) {
    const same = byId.get(receipt.id)
    if (same === undefined) byId.set(receipt.id, [receipt])
    else same.push(receipt)
  }
  return byId
}

function some(lines) {
  return lines.length <= mostListed ? lines : [...lines.slice(0, mostListed), `… and ${lines.length - mostListed} more`]
}
