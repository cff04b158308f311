import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMetrics } from 'posthorn/metrics'
import { expect, test } from 'vitest'
import { metricsPage } from '../../scripts/metrics-page.js'
import { alertsIn, expressionsIn, filledIn, unknownIn } from '../../scripts/watch/expressions.js'
import type { Dashboard } from '../../scripts/watch/expressions.js'
import { definitions as table } from '../../src/metrics/definitions.ts'
import type { Definition } from '../../src/metrics/definitions.ts'
import { root } from '../acceptance/files.ts'

const definitions: readonly Definition[] = Object.values(table)
const alerts = alertsIn(textOf('deploy/prometheus/posthorn.rules.yml'))
const panels = expressionsIn(JSON.parse(textOf('deploy/grafana/posthorn.json')) as Dashboard)

const shown = (name: string, kind: string, help: string): string => `${name} ${kind} ${help}`
const found = (expression: string): string[] => unknownIn(expression, definitions)

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

test('the registry holds every metric that is defined, as it is defined, and no other', async () => {
  const registered = await createMetrics({ endpointLabels: 1 }).registry.getMetricsAsJSON()
  expect(registered.map(({ name, type, help }) => shown(name, String(type), help)).toSorted()).toEqual(
    definitions.map(({ name, kind, help }) => shown(name, kind, help)).toSorted(),
  )
})

test('names are as Prometheus asks for: a prefix, base units, and _total for counters alone', () => {
  for (const { kind, name, labels } of definitions) {
    expect(name).toMatch(/^posthorn_[a-z]+(_[a-z]+)*$/)
    expect(name.endsWith('_total')).toBe(kind === 'counter')
    expect(name).not.toMatch(/_(ms|milliseconds|kilobytes|percent)\b/)
    expect(labels.filter((label) => ['le', 'job', 'instance', 'quantile'].includes(label))).toEqual([])
    if (kind === 'histogram') expect(name).toMatch(/_(seconds|rows)$/)
  }
})

test('docs/metrics.md is what the table of metrics says; npm run docs writes it', () => {
  expect(textOf('docs/metrics.md')).toBe(metricsPage(definitions))
})

test('every metric and label that an alert or a panel names is there', () => {
  expect(alerts.length).toBeGreaterThanOrEqual(8)
  expect(panels.length).toBeGreaterThanOrEqual(25)
  const expressions = [...alerts, ...panels].map(({ expression }) => expression)
  expect(expressions.flatMap((expression) => unknownIn(expression, definitions))).toEqual([])
  for (const expression of expressions) expect(expression).toContain('posthorn_')
})

test('the dashboard shows every metric', () => {
  const all = panels.map(({ expression }) => expression).join('\n')
  expect(definitions.map(({ name }) => name).filter((name) => !all.includes(name))).toEqual([])
})

test('a slip in the name of a metric or a label is found', () => {
  expect(found('rate(posthorn_attempt_total[5m])')).toEqual(['posthorn_attempt_total'])
  expect(found('posthorn_claim_rows')).toEqual(['posthorn_claim_rows'])
  expect(found('posthorn_queue_depth{status="failed",job=~".*"}')).toEqual(['posthorn_queue_depth{status}'])
  expect(found('sum by (le, kind) (posthorn_claim_rows_bucket)')).toEqual(['by (kind)'])
  expect(found('sum by (job, code) (posthorn_leases_lost_total{code!="lost"})')).toEqual([])
  expect(filledIn('rate(a{job=~"$job"}[$__rate_interval])', { rateInterval: '1m' })).toBe('rate(a{job=~".*"}[1m])')
})

test('every alert says what it is, how bad, and where to read on', () => {
  const anchors = [...textOf('docs/operations.md').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title))
  for (const { name, severity, summary, description, runbook } of alerts) {
    expect(name).toMatch(/^Posthorn[A-Za-z]+$/)
    expect(['warning', 'page']).toContain(severity)
    expect(summary).toMatch(/^[A-Z].*\.$/)
    expect(description).toMatch(/\.$/)
    const [page, anchor] = runbook.split('#')
    expect(page).toBe('docs/operations.md')
    expect(anchors).toContain(anchor)
  }
})

/** As the pages of the forge name their headings. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}
