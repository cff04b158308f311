// A woken process may have been stopped between checking a lease and sending the request: what it sends just then is late.
const wakingMs = 1_000
const mostListed = 20

/** What became of every accepted message, which fault explains each repeat, and how long the affected ones had to wait. */
export function report({ poisonId = null, waiting = new Set(), problems = [], notes = [], ...rest }) {
  const run = { poisonId, waiting, problems, notes, ...rest }
  const { accepted, rows } = run
  const found = examine(run)
  const { delivered, lost, repeats, unexplained, recoveries, innocent } = found
  const dead = rows.filter(({ status }) => status === 'dead').length
  return {
    accepted: accepted.size,
    delivered: delivered.length,
    dead,
    open: rows.length - dead,
    lost: lost.length,
    repeats: repeats.length,
    explained: repeats.length - unexplained.length,
    longestRecoveryMs: Math.ceil(Math.max(0, ...recoveries)),
    isFine: accepted.size > 0 && [lost, unexplained, innocent, problems].every(({ length }) => length === 0),
    lines: linesOf(run, found, rows.length - dead),
  }
}

function examine({ accepted, receipts, faults, rows, reachMs, poisonId, waiting }) {
  const byId = groupById(receipts)
  const repeats = [...byId.values()].flatMap((same) =>
    same.slice(1).map((receipt, index) => ({ receipt, before: same[index] })),
  )
  // Our own faults first: a process that we stop also reports a stall.
  const suspects = [...faults.filter(isOurs), ...faults.filter((fault) => !isOurs(fault))]
  const causes = repeats.map((repeat) => suspects.find((fault) => explains(fault, repeat, reachMs)))
  const harmless = [...accepted].filter(([id]) => id !== poisonId)
  const recoveries = faults.map((fault) => {
    const explained = repeats.filter(({ receipt }, index) => causes[index] === fault && receipt.id !== poisonId)
    return isOurs(fault) ? recoveryMs(fault, explained, harmless, byId) : 0
  })
  return {
    ...fatesOf(accepted, byId, rows),
    repeats,
    causes,
    recoveries,
    unexplained: repeats.filter((_, index) => causes[index] === undefined),
    innocent: rows.filter(
      ({ id, messageId, status }) => messageId !== poisonId && !(waiting.has(id) && status !== 'dead'),
    ),
    unacknowledged: [...byId.keys()].filter((id) => !accepted.has(id)).length,
    late: repeats.filter(({ receipt, before }) => faults.some((fault) => isLate(fault, receipt, before))).length,
  }
}

function linesOf(
  { faults, startedAt, notes, problems },
  { causes, recoveries, lost, innocent, unexplained, unacknowledged, late },
  open,
) {
  const time = (at) => `${((at - startedAt) / 1_000).toFixed(2).padStart(7)} s`
  return [
    ...faults.flatMap((fault, index) => {
      const count = causes.filter((cause) => cause === fault).length
      const line = `${time(fault.at)}  ${fault.name}: explains ${count} repeats, longest recovery ${Math.ceil(recoveries[index])} ms`
      return isOurs(fault) || count > 0 ? [line] : []
    }),
    ...notes,
    ...(unacknowledged > 0
      ? [`${unacknowledged} more were delivered whose sender never heard that they were stored`]
      : []),
    ...(late > 0 ? [`${late} were sent by a process that had just woken up, after another had sent them`] : []),
    ...some(lost.map((id) => `lost: ${id}`)),
    ...some(innocent.map(notDelivered)),
    ...some(
      unexplained.map(
        ({ receipt, before }) =>
          `unexplained repeat of ${receipt.id}: ${time(before.at)} by ${before.pid}, again ${time(receipt.at)} by ${receipt.pid}`,
      ),
    ),
    ...some(problems),
    ...(open > 0 ? [`open ${open}`] : []),
  ]
}

function notDelivered({ id, status, reason }) {
  return `not delivered, but ${status}${typeof reason === 'string' ? ` (${reason})` : ''}: ${id}`
}

/** Lines that programs read: the last one never changes its form. */
export function lastLines({ accepted, delivered, dead, lost, repeats, explained, longestRecoveryMs }) {
  return [
    `longest recovery ${longestRecoveryMs} ms`,
    `accepted ${accepted} delivered ${delivered} dead ${dead} lost ${lost} repeats ${repeats} explained ${explained}`,
  ]
}

/** Stalls of the machine explain repeats, too, but do not measure recovery. */
function isOurs({ isOurs: ours = true }) {
  return ours
}

/** Lost: accepted, but neither received, nor recorded as dead, nor still to be sent. */
function fatesOf(accepted, byId, rows) {
  const unfinished = new Set(rows.map(({ messageId }) => messageId))
  const ended = [...accepted.keys()].filter((id) => !unfinished.has(id))
  return { delivered: ended.filter((id) => byId.has(id)), lost: ended.filter((id) => !byId.has(id)) }
}

/**
 * A kill explains what its process had sent; so does a stop or a partition, until it is over; an outage of the store explains what
 * nobody could mark meanwhile, within its reach. An orderly shutdown explains nothing.
 */
function explains(fault, { receipt, before }, reachMs) {
  if (receipt.at < fault.at) return false
  const { since = fault.at } = fault
  const isSince = before.at >= since - reachMs
  const isWithin = isSince && before.at <= fault.endedAt + reachMs
  const isItsOwn = before.pid === fault.pid
  const explained = {
    kill: isSince && isItsOwn,
    stop: (isWithin && isItsOwn) || isLate(fault, receipt, before),
    partition: isWithin && isItsOwn,
    outage: isWithin,
  }
  return explained[fault.kind] ?? false
}

function isLate(fault, receipt, before) {
  return (
    fault.kind === 'stop' &&
    receipt.pid === fault.pid &&
    before.pid !== fault.pid &&
    receipt.at >= fault.at &&
    receipt.at <= fault.endedAt + wakingMs
  )
}

/** From the fault, or from the end of an outage, to the next receipt of everything it affected: repeats, and first arrivals. */
function recoveryMs(fault, repeats, accepted, byId) {
  const since = fault.kind === 'outage' ? fault.endedAt : fault.at
  const again = repeats.map(({ receipt }) => receipt.at)
  const delayed = accepted
    .filter(([, at]) => at < fault.at)
    .map(([id]) => byId.get(id)?.[0]?.at ?? 0)
    .filter((at) => at > fault.at)
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
