// Checks the monitoring of an operator, on a real server and a real worker: npm run watch:check
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { definitions } from '../../dist/metrics/definitions.js'
import { checkAlarms } from './alarms.js'
import { alertsIn, expressionsIn, filledIn } from './expressions.js'
import { findPrometheus, promtool, startPrometheus, until } from './prometheus.js'
import { openSystem } from './system.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rulesFile = join(root, 'deploy/prometheus/posthorn.rules.yml')
const alerts = alertsIn(textOf('deploy/prometheus/posthorn.rules.yml'))
const panels = expressionsIn(JSON.parse(textOf('deploy/grafana/posthorn.json')))
const documented = [...textOf('docs/metrics.md').matchAll(/^\| `(posthorn_\w+)` \|/gm)].map(([, name]) => name)

const folder = mkdtempSync(join(tmpdir(), 'posthorn-watch-'))
try {
  const watched = await checkMetricsAndRules()
  console.log(`${watched}, ${await alarmsLine()}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function checkMetricsAndRules() {
  mkdirSync(join(root, '.test'), { recursive: true })
  const binaries = await findPrometheus(join(root, '.test/prometheus'))
  await promtool(binaries, ['check', 'rules', rulesFile])
  await promtool(binaries, ['test', 'rules', 'rules.test.yml'], { cwd: fileURLToPath(new URL('.', import.meta.url)) })
  console.log(`promtool: ${alerts.length} rules are well written, and are raised by what they are for`)
  const system = await openSystem(folder)
  try {
    const keyFile = join(folder, 'key')
    writeFileSync(keyFile, system.key)
    const prometheus = await startPrometheus(binaries, folder, { targets: system.targets, keyFile, rules: rulesFile })
    try {
      return await judge(prometheus, system.targets.length)
    } finally {
      await prometheus.stop()
    }
  } finally {
    await system.close()
  }
}

async function judge(prometheus, targets) {
  await until('both commands are scraped', async () => (await prometheus.query('up == 1')).length === targets)
  // Seen only with the next sample of the store: by then there have been enough scrapes for every rate.
  await until('what fails is in the dead-letter rate', async () => {
    const seen = await prometheus.query(
      'max(posthorn_dead_letter_rate) > 0.05 and max(posthorn_queue_depth{state="dead"}) > 0',
    )
    return seen.length > 0
  })
  await checkPanels(prometheus)
  return `${await checkNames(prometheus)}, ${await checkRules(prometheus)}`
}

/** Every panel shows something. */
async function checkPanels(prometheus) {
  const empty = []
  for (const { panel, expression } of panels) {
    const series = await prometheus.query(filledIn(expression, { rateInterval: '15s' }))
    if (series.length === 0) empty.push(`${panel}: ${expression}`)
  }
  refuse('panels of the dashboard without data', empty)
  console.log(`dashboard: ${panels.length} expressions evaluated, all with data`)
}

/** Every defined metric is documented and has been scraped, and no others have. */
async function checkNames(prometheus) {
  const names = new Set((await prometheus.names()).filter((name) => name.startsWith('posthorn_')))
  const defined = Object.values(definitions)
  const seen = defined.filter((one) => seriesOf(one).every((name) => names.has(name)))
  const known = new Set(defined.flatMap(seriesOf))
  refuse(
    'metrics that are not documented',
    defined.map(({ name }) => name).filter((name) => !documented.includes(name)),
  )
  refuse(
    'metrics that were not scraped',
    defined.filter((one) => !seen.includes(one)).map(({ name }) => name),
  )
  refuse(
    'series of no metric',
    [...names].filter((name) => !known.has(name)),
  )
  return `metrics ${defined.length} documented ${documented.length} seen ${seen.length}`
}

function seriesOf({ kind, name }) {
  return kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name]
}

/** Evaluated without an error by the rule manager itself; and what goes wrong here is noticed. */
async function checkRules(prometheus) {
  const wanted = ['PosthornDeadLetterRateHigh', 'PosthornDeadLetterRateVeryHigh']
  // The rules are evaluated on their own schedule.
  await until('a rate of dead letters over 5 % raises its alerts', async () => {
    const active = activeIn(await prometheus.rules())
    return wanted.every((name) => active.includes(name))
  })
  const rules = await prometheus.rules()
  const evaluated = rules.filter(({ health, lastError = '' }) => health === 'ok' && lastError === '')
  refuse(
    'rules that could not be evaluated',
    rules
      .filter((rule) => !evaluated.includes(rule))
      .map(({ name, health, lastError }) => `${name}: ${health} ${lastError}`),
  )
  refuse(
    'alerts that are raised though nothing is wrong',
    activeIn(rules).filter((name) => !wanted.includes(name)),
  )
  return `rules ${alerts.length} evaluated ${evaluated.length}`
}

function activeIn(rules) {
  return rules.filter(({ state }) => state !== 'inactive').map(({ name }) => name)
}

/** The alarms that need no Prometheus. */
async function alarmsLine() {
  const { total, raised, resolved } = await checkAlarms()
  if (raised !== total || resolved !== total)
    throw new Error(
      `Expected ${total} alarms to be raised and resolved, got ${raised} raised and ${resolved} resolved.`,
    )
  return `alarms ${total} raised ${raised} resolved ${resolved}`
}

function refuse(what, found) {
  if (found.length > 0) throw new Error(`Expected no ${what}, got ${found.length}:\n  ${found.join('\n  ')}`)
}

function textOf(path) {
  return readFileSync(join(root, path), 'utf8')
}
