// What a run must reach. What was not measured is not met, and says so.

const unmeasured = 'not run'

/** The eight bars, each with what was measured, what is asked for, and whether it is met. */
export function barsOf({ now, before, bare, growth, peers }) {
  const { sqlite, postgres } = now.face
  return [
    times('HTTP face on SQLite', sqlite, before?.face.sqlite, 1.6),
    times('HTTP face on PostgreSQL', postgres, before?.face.postgres, 2),
    shares('library of bare dispatch', now.library, bare),
    latencies('light load', [
      ['SQLite', sqlite, 2, 10],
      ['PostgreSQL', postgres, 2.5, 12],
    ]),
    latencies('separate worker', [['PostgreSQL', now.worker, 5, 15]]),
    bar('memory at 5,000 in flight', now.memory, '≤ 300 MB', ({ rssMb, inFlight }) => ({
      value: `${rssMb.toFixed(0)} MB with ${inFlight}`,
      isMet: rssMb <= 300 && inFlight >= 4_900,
    })),
    bar('growth: claim p99 and deliveries/s', growth, '≤ 10 ms on both, ± 10 %', grown),
    bar('library, times each peer', peers, '≥ 5 ×', (all) => ({
      value: all.map(({ name, times: each }) => `${name} ${each.toFixed(1)} ×`).join(', ') || unmeasured,
      isMet: all.length > 0 && all.every(({ times: each }) => each >= 5),
    })),
  ]
}

/** Milliseconds on either database, and how many deliveries per second fewer; null for what was not run. */
function grown({ sqliteMs, postgresMs, fewer }) {
  const values = [
    `SQLite ${shown(sqliteMs, 'ms')}`,
    `PostgreSQL ${shown(postgresMs, 'ms')}`,
    `deliveries/s ${shown(fewer === null ? null : -100 * fewer, '%')}`,
  ]
  const wasRun = [sqliteMs, postgresMs, fewer].every((value) => value !== null)
  return { value: values.join(', '), isMet: wasRun && Math.max(sqliteMs, postgresMs) <= 10 && fewer <= 0.1 }
}

function shown(value, unit) {
  return value === null ? unmeasured : `${value.toFixed(1)} ${unit}`
}

/** The table, and as its last line how many are met. */
export function barsTable(bars) {
  const rows = bars.map(({ name, value, bound, isMet }) => [name, value, bound, isMet ? 'met' : 'not met'])
  const all = [['bar', 'measured', 'asked for', ''], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column].length)))
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [...lines, `bars met ${bars.filter(({ isMet }) => isMet).length} of ${bars.length}`].join('\n')
}

function bar(name, measured, bound, judge) {
  if (measured === undefined) return { name, value: unmeasured, bound, isMet: false }
  return { name, bound, ...judge(measured) }
}

function times(name, now, before, least) {
  const both = before === undefined ? undefined : { now, before }
  return bar(name, both, `≥ ${least} × the commit before`, (run) => {
    const ratio = run.now.perSecond / run.before.perSecond
    return { value: `${ratio.toFixed(2)} ×`, isMet: ratio >= least }
  })
}

function shares(name, library, bare) {
  return bar(name, library, '≥ 45 % on SQLite, ≥ 35 % on PostgreSQL', ({ sqlite, postgres }) => {
    const [one, other] = [sqlite, postgres].map(({ perSecond }) => (100 * perSecond) / bare.perSecond)
    return { value: `${one.toFixed(0)} %, ${other.toFixed(0)} %`, isMet: one >= 45 && other >= 35 }
  })
}

function latencies(name, asked) {
  const bound = asked.map(([on, , p50, p99]) => `${on} p50 ≤ ${p50}, p99 ≤ ${p99} ms`).join('; ')
  return bar(name, asked, bound, (all) => ({
    value: all.map(([on, run]) => `${on} ${run.p50Ms.toFixed(1)}, ${run.p99Ms.toFixed(1)} ms`).join('; '),
    isMet: all.every(([, run, p50, p99]) => run.p50Ms <= p50 && run.p99Ms <= p99),
  }))
}
