import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** About one KiB of JSON, as a typical event. */
export const data = {
  id: 7,
  customer: 'acme',
  lines: Array.from({ length: 12 }, (_, index) => ({ index, sku: `sku-${index}`, text: 'x'.repeat(40) })),
}
export const body = Buffer.from(JSON.stringify({ type: 'invoice.paid', timestamp: new Date().toISOString(), data }))

export function seconds(startedAt) {
  return (performance.now() - startedAt) / 1000
}

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}

/** Starts the receiver's process; `report()` gives its count, what it has used, and the latencies since the last report. */
export async function startReceiver() {
  const child = fork(new URL('./receiver.js', import.meta.url), { serialization: 'advanced' })
  const [{ port }] = await once(child, 'message')
  return {
    port,
    async report() {
      child.send('report')
      const [report] = await once(child, 'message')
      return report
    },
    async count() {
      child.send('count')
      const [count] = await once(child, 'message')
      return count
    },
    /** From now on requests wait for their answers. */
    hold: () => child.send('hold'),
    /** From now on requests are answered with 500. */
    fail: () => child.send('fail'),
    /** From now on all are answered with 200, those that wait included. */
    release: () => child.send('release'),
    stop: () => child.kill(),
  }
}

/** A folder beside the project, on its disk and not in a memory file system: FULL must mean something. */
export function scratch() {
  const folder = mkdtempSync(join(process.cwd(), '.test-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export function print(name, value, note = '') {
  console.log(`${name.padEnd(46)} ${String(value).padStart(12)}  ${note}`)
}

export function whole(value) {
  return Math.round(value).toLocaleString('en-US')
}
