// Shows that a change of names and layout has left the tests alone: compares the titles, and the number of assertions per file, of two
// commits.    node scripts/compare-tests.js BEFORE [AFTER]
import { execFileSync } from 'node:child_process'

const [before, after = 'HEAD'] = process.argv.slice(2)
if (before === undefined) {
  console.error('Expected a commit to compare with. Run `node scripts/compare-tests.js BEFORE [AFTER]`.')
  process.exit(2)
}

const [then, now] = [testsAt(before), testsAt(after)]
const names = [...new Set([...then.keys(), ...now.keys()])].toSorted((one, other) => (one < other ? -1 : 1))
const changed = names.flatMap((name) => differences(name, then.get(name), now.get(name)))
for (const line of changed) console.log(line)
console.log(`${names.length} files, ${changed.length} differences`)

/** By the name of the file without its folder, because suites may move. */
function testsAt(commit) {
  const files = git('ls-tree', '-r', '--name-only', commit, 'test', 'src/testing/store-suite').split('\n')
  const tests = files.filter((file) => /\.test\.ts$|store-suite\/.*\.ts$/.test(file))
  return new Map(tests.map((file) => [nameOf(file), readTests(git('show', `${commit}:${file}`))]))
}

function nameOf(file) {
  return file.startsWith('test/') ? file : `store-suite/${file.split('/').at(-1)}`
}

function readTests(text) {
  const titles = [
    ...text.matchAll(/\b(?:test|storeCase|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g),
  ]
  return {
    titles: titles.map(([, , title]) => title.replaceAll(/\\(['"`])/g, '$1')),
    assertions: [...text.matchAll(/\b(?:expect|assert(?:\.\w+)?)\(/g)].length,
  }
}

function differences(name, one, other) {
  if (one === undefined) return [`${name}: new, ${other.titles.length} titles`]
  if (other === undefined) return [`${name}: gone, ${one.titles.length} titles`]
  const gone = one.titles.filter((title) => !other.titles.includes(title)).map((title) => `${name}: gone "${title}"`)
  const added = other.titles.filter((title) => !one.titles.includes(title)).map((title) => `${name}: new "${title}"`)
  const counts =
    one.assertions === other.assertions ? [] : [`${name}: ${one.assertions} → ${other.assertions} assertions`]
  return [...gone, ...added, ...counts]
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}
