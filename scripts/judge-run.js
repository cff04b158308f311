// Whether a test run did what docs/spec.md requires: judged by its report, not by the sources.

/** Counts a run, and lists what is missing: one sentence for each id or file that did not run as required. */
export function judgeRun({ report, root, spec, files, isFast = false, filters = [] }) {
  const ran = report.testResults.map((file) => ({
    path: file.name.replace(`${root}/`, ''),
    status: file.status,
    tests: file.assertionResults,
  }))
  const promised = promisedBy({ spec, files, isFast, filters })
  const entries = ran.filter(({ path }) => isAcceptance(path)).flatMap(entriesOf)
  const problems = [
    ...promised.files
      .filter((path) => !ran.some((file) => file.path === path))
      .map((path) => `${path} was not part of the run.`),
    ...promised.requirements.flatMap((requirement) => lackOf(requirement, entries)),
    ...unknownIds(requirementsOf(spec), entries),
  ]
  return { passed: count(ran, 'passed'), failed: failures(ran, entries, isFast) + problems.length, problems }
}

/** The rows of the specification: each id, and the groups of tests in which it must run; an unnamed group if it runs once. */
export function requirementsOf(spec) {
  const table = spec.slice(Math.max(0, spec.search(/^\| id \|/m))).split('\n')
  return table
    .filter((line) => new RegExp(`^\\| ${idPattern} \\|`).test(line))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      const [id, runs] = [cells[1], cells.at(-2)]
      const isOnce = runs.startsWith('once')
      return { id, groups: isOnce ? [''] : runs.split(', '), isSlow: runs === 'once, in the whole run' }
    })
}

const idPattern = '(?:UC|RR|LH)-[A-Za-z0-9.-]*[A-Za-z0-9]'

/** What a run has to show: a fast one has no PostgreSQL, and a filtered one only its own files. */
function promisedBy({ spec, files, isFast, filters }) {
  const all = requirementsOf(spec)
  const leftOut = all.filter(({ isSlow }) => isFast && isSlow)
  const isAskedFor = ({ path }) => filters.length === 0 || filters.some((filter) => path.includes(filter))
  const asked = files.filter((file) => isAskedFor(file) && !leftOut.some((row) => isTestedIn(row, file)))
  const requirements = all.filter(
    (row) => !leftOut.includes(row) && (filters.length === 0 || asked.some((file) => isTestedIn(row, file))),
  )
  return {
    files: asked.map(({ path }) => path),
    requirements: requirements.map(({ id, groups }) => ({
      id,
      groups: groups.filter((group) => !isFast || group !== 'postgres'),
    })),
  }
}

function isTestedIn({ id }, { path, text }) {
  return isAcceptance(path) && ["'", '"', '`'].some((quote) => text.includes(`(${quote}${id} `))
}

function isAcceptance(path) {
  return path.startsWith('test/acceptance/')
}

/** The tests of a file that have an id, with their results. */
function entriesOf({ path, tests }) {
  return tests.flatMap(({ title, ancestorTitles, status }) => {
    const [, id] = new RegExp(`^(${idPattern})(?=\\s|$)`).exec(title) ?? []
    // A name that comes from a table is in quotes.
    const groups = ancestorTitles.map((name) => name.replaceAll("'", ''))
    return id === undefined ? [] : [{ id, path, groups, isSkipped: status !== 'passed' && status !== 'failed' }]
  })
}

function lackOf({ id, groups }, entries) {
  return groups.flatMap((group) => {
    const where = group === '' ? '' : ` on ${group}`
    const found = entries.filter((entry) => entry.id === id && (group === '' || entry.groups.includes(group)))
    if (found.length === 0) return [`${id} did not run${where}.`]
    if (found.length > 1) return [`${id} ran ${found.length} times${where}, and must run once.`]
    return found.some(({ isSkipped }) => isSkipped) ? [`${id} was skipped${where}.`] : []
  })
}

/** Tests whose id or group is not in the specification. */
function unknownIds(requirements, entries) {
  return entries.flatMap(({ id, path, groups }) => {
    const requirement = requirements.find((known) => known.id === id)
    if (requirement === undefined) return [`${id} in ${path} is not in the specification.`]
    const isKnown = requirement.groups.includes('') || requirement.groups.some((group) => groups.includes(group))
    return isKnown ? [] : [`${id} in ${path} runs outside of ${requirement.groups.join(', ')}.`]
  })
}

/** A skipped test counts as failed, except in a fast run; a file that fails to load runs no test, and must not pass for that. */
function failures(ran, entries, isFast) {
  const broken = ran.filter(({ status, tests }) => status === 'failed' && tests.length === 0).length
  const named = entries.filter(({ isSkipped }) => isSkipped).length
  const skipped = count(ran, 'skipped', 'pending', 'disabled') - named
  return count(ran, 'failed') + count(ran, 'todo') + broken + (isFast ? 0 : skipped)
}

function count(ran, ...wanted) {
  return ran.flatMap(({ tests }) => tests).filter(({ status }) => wanted.includes(status)).length
}
