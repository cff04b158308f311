// What processes and their threads have used, as Linux knows it.
import { readFileSync, readdirSync } from 'node:fs'

// Of the kernel's own clock, on every Linux that there is.
const tickUs = 10_000

/** Microseconds of CPU by thread; empty where there is no /proc. */
export function threadsOf(pid) {
  try {
    return new Map(readdirSync(`/proc/${pid}/task`).map((id) => [id, ticksIn(`/proc/${pid}/task/${id}/stat`) * tickUs]))
  } catch {
    return new Map()
  }
}

/** The same of all processes below one, those of a PostgreSQL for example, together. */
export function treeUs(pid) {
  try {
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => parentOf(name) === String(pid))
    return ticksIn(`/proc/${pid}/stat`) * tickUs + children.reduce((sum, child) => sum + treeUs(child), 0)
  } catch {
    return 0
  }
}

export function residentMb(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** Microseconds per message of each thread that did something, the busiest first. */
export function perMessage(before, after, count) {
  return [...after]
    .map(([id, us]) => (us - (before.get(id) ?? 0)) / count)
    .filter((us) => us >= 1)
    .toSorted((one, other) => other - one)
}

function parentOf(pid) {
  try {
    return fieldsIn(`/proc/${pid}/stat`)[1]
  } catch {
    return null
  }
}

function ticksIn(file) {
  const fields = fieldsIn(file)
  return Number(fields[11]) + Number(fields[12])
}

/** What follows the name, which may have spaces and brackets in it: the state, the parent, … */
function fieldsIn(file) {
  const text = readFileSync(file, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
