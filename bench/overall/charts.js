// Bars as SVG, by hand: they take the reader's text colour in both themes, and say their numbers as text.

const width = 640
const labelWidth = 200
const rowHeight = 28

/** The figures of a run as pictures, by file name. */
export function charts({ bare, now, before }) {
  const libraries = Object.entries(now.library ?? {}).map(([on, run]) => [`library, ${named(on)}`, run.perSecond])
  const faces = Object.entries(now.face ?? {}).map(([on, run]) => [`HTTP, ${named(on)}`, run.perSecond])
  const earlier = Object.entries(before?.face ?? {}).map(([on, run]) => [`HTTP, ${named(on)}, before`, run.perSecond])
  const costs = Object.entries(now.face ?? {}).flatMap(([on, run]) => [
    [`HTTP, ${named(on)}: server`, run.threadsUs.reduce((sum, us) => sum + us, 0)],
    ...(run.databaseUs > 0 ? [[`HTTP, ${named(on)}: database`, run.databaseUs]] : []),
  ])
  const ownCosts = Object.entries(now.library ?? {}).map(([on, run]) => [`library, ${named(on)}`, run.cpuUs])
  const dispatch = ['bare dispatch, nothing stored', bare.perSecond]
  return {
    'throughput.svg': chart('Delivered per second', [dispatch, ...libraries, ...faces, ...earlier]),
    'cost.svg': chart('Microseconds of CPU per message', [...ownCosts, ...costs]),
  }
}

function named(database) {
  return database === 'sqlite' ? 'SQLite' : 'PostgreSQL'
}

function chart(title, rows) {
  const most = Math.max(...rows.map(([, value]) => value))
  const height = rowHeight * (rows.length + 1) + 8
  const lines = rows.map(([label, value], index) => row(label, value, most, index))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="13">
<style>text { fill: #1f2328 } rect { fill: #3b6ea5 } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #79aedd } }</style>
<text x="0" y="18" font-weight="600">${title}</text>
${lines.join('\n')}
</svg>
`
}

function row(label, value, most, index) {
  const top = rowHeight * (index + 1) + 4
  const length = Math.max(1, Math.round(((width - labelWidth - 70) * value) / most))
  const shown = Math.round(value).toLocaleString('en-US')
  return `<text x="0" y="${top + 15}">${label}</text><rect x="${labelWidth}" y="${top}" width="${length}" height="20" rx="2"/><text x="${labelWidth + length + 8}" y="${top + 15}">${shown}</text>`
}
