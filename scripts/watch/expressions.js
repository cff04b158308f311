/** The alerts in a file of rules: name, expression, and text. Each is on one line. */
export function alertsIn(text) {
  return text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((block) => ({
      name: block.split('\n', 1)[0].trim(),
      expression: valueOf(block, 'expr'),
      severity: valueOf(block, 'severity'),
      summary: valueOf(block, 'summary'),
      description: valueOf(block, 'description'),
      runbook: valueOf(block, 'runbook_url'),
    }))
}

/** Every expression of a Grafana dashboard, with its panel. */
export function expressionsIn(dashboard) {
  return dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ panel: title, expression: expr })),
  )
}

/** An expression as Grafana evaluates it, with its variables filled in. */
export function filledIn(expression, { rateInterval }) {
  return expression.replaceAll('$__rate_interval', rateInterval).replaceAll('$job', '.*')
}

/** The unknown names in an expression: metrics, and labels that none of its metrics has. */
export function unknownIn(expression, definitions) {
  const named = [...expression.matchAll(/\b(posthorn_\w+)(?:\{([^}]*)\})?/g)].map(([, name, selector = '']) => ({
    name,
    definition: definitions.find((one) => namesOf(one).includes(name)),
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label),
  }))
  const metrics = named.filter(({ definition }) => definition === undefined).map(({ name }) => name)
  const known = named.filter(({ definition }) => definition !== undefined)
  const selected = known.flatMap(({ name, definition, labels }) =>
    labels.filter((label) => !labelsOf(definition).includes(label)).map((label) => `${name}{${label}}`),
  )
  const grouped = [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
    list.split(',').map((one) => one.trim()),
  )
  const inReach = new Set(known.flatMap(({ definition }) => labelsOf(definition)))
  return [...metrics, ...selected, ...grouped.filter((label) => !inReach.has(label)).map((label) => `by (${label})`)]
}

/** The name of a metric in a scrape. */
function namesOf({ kind, name }) {
  return kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name]
}

/** Its own labels, and those that Prometheus adds. */
function labelsOf({ kind, labels }) {
  return [...labels, 'job', 'instance', ...(kind === 'histogram' ? ['le'] : [])]
}

function valueOf(block, name) {
  const value = new RegExp(`^ +${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
  return /^'.*'$/.test(value) ? value.slice(1, -1) : value
}
