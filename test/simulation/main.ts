import { runScenario } from './run.ts'
import { scenarioOf } from './plan.ts'
import { kindOf } from './invariants/invariant.ts'
const cpu = () => (process.cpuUsage().user+process.cpuUsage().system)/1000
const from = Number(process.argv[2] ?? 1), n = Number(process.argv[3] ?? 1)
const t0 = cpu()
let timed = 0, timedMs = 0
const evs: number[] = [], del: number[] = [], ms: number[] = []
const found = new Map<string, { seeds: number[], detail: string }>()
for (let seed = from; seed < from + n; seed++) {
  const t = cpu()
  const s = scenarioOf(seed)
  const r = await runScenario(s, n === 1 && process.argv[4] ? console.log : null)
  evs.push(r.events); del.push(r.deliveries); ms.push(cpu() - t)
  if (s.lengthMs < 7e6) { timed++; timedMs += cpu() - t }
  for (const v of r.violations) { const k = kindOf(v); const f = found.get(k) ?? { seeds: [], detail: v.detail }; if (f.seeds.at(-1) !== seed) f.seeds.push(seed); found.set(k, f) }
  if (n <= 20) console.log(seed, r.traceHash, r.events, r.deliveries, Math.round(r.virtualMs/1000), (cpu() - t).toFixed(0) + 'ms', r.violations.length)
  if (n === 1) console.log(r.violations)
}
const med = (l: number[]) => l.toSorted((a, b) => a - b)[l.length >> 1]
for (const [k, f] of [...found].toSorted((a, b) => b[1].seeds.length - a[1].seeds.length)) console.log(f.seeds.length, k, f.seeds.slice(0, 4).join(), '|', f.detail)
console.log(med(evs), med(del), med(ms), 'timed/min', timed / timedMs * 60000)
