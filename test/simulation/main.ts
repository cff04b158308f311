import { runScenario } from './run.ts'
import { scenarioOf } from './plan.ts'
const from = Number(process.argv[2] ?? 1), n = Number(process.argv[3] ?? 1)
const t0 = performance.now()
const evs: number[] = [], del: number[] = [], ms: number[] = []
for (let seed = from; seed < from + n; seed++) {
  const t = performance.now()
  const r = await runScenario(scenarioOf(seed), n === 1 && process.argv[4] ? console.log : null)
  evs.push(r.events); del.push(r.deliveries); ms.push(performance.now() - t)
  if (n <= 20 || r.violations.length) console.log(seed, r.traceHash, r.events, r.deliveries, Math.round(r.virtualMs/1000), (performance.now() - t).toFixed(0) + 'ms', r.violations.slice(0, 2))
}
const med = (l: number[]) => l.toSorted((a, b) => a - b)[l.length >> 1]
console.log(med(evs), med(del), med(ms), n / (performance.now() - t0) * 60000)
