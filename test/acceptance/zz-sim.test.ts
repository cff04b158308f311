import { test } from 'vitest'
import { mkdtempSync } from 'node:fs'
import { sqlite } from 'posthorn/sqlite'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { simulate } from './simulation.ts'
test('x', async () => {
  const which = process.env.SIM ?? 'good'
  const file = mkdtempSync((process.env.DIR ?? '/tmp') + '/sim-') + '/a.db'
  const store = process.env.MEM ? memoryStore() : sqlite(file, { plaintextSecrets: true, synchronous: 'off' })
  const settings = which === 'good' ? { breaker: false } : { breaker: false, allowUnsafeRetryDelays: true, timeoutMs: 10_000, pool: 50, retriesPerEndpoint: 500, policies: { standard: { delays: { kind: 'list', delaysMs: Array(7).fill(5000) }, jitterShare: 0, maxAttempts: 8 } } } as any
  const t = performance.now(); const c = process.cpuUsage()
  const r = await simulate({ store, settings, endpoints: 200, down: 20, beforeMs: 60_000, outageMs: Number(process.env.OUT ?? 600_000), afterMs: 60_000, sampleMs: 40_000, sample: () => {} })
  console.log(which, file, ((performance.now() - t) / 1000).toFixed(1), 's', 'cpu', (process.cpuUsage(c).user / 1e6).toFixed(1), (process.cpuUsage(c).system / 1e6).toFixed(1))
  console.log(JSON.stringify(r.last).slice(0, 300), r.samples.map((s) => s.queue.retries).join(' '), r.samples.map((s) => s.latencyP95Ms + s.alarm[0]).join(' '))
}, 300_000)
