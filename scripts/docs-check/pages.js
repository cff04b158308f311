// The contents of a page: its code blocks, and how each of them is checked.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Languages that may not be marked as not run. */
const alwaysRun = new Set(['js', 'ts', 'sh', 'sql'])
/** A block after a command may be its output. */
const output = new Set(['json', 'text'])
const programs = new Set(['sh', 'js', 'ts'])

/** README.md, and all pages below docs except for those of tools. */
export function pagesOf(root) {
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const docs = below.filter((name) => name.endsWith('.md') && !/(^|\/)(node_modules|site)\//.test(name)).toSorted()
  return ['README.md', ...docs.map((name) => `docs/${name}`)].filter((path) => statSync(join(root, path)).isFile())
}

export function readPage(root, path) {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, setup: /^<!-- setup: (\w+) -->$/m.exec(text)?.[1] ?? 'folder', fences: fencesOf(text) }
}

/** Every code block of a text, with the line it begins on and the comment before it. */
export function fencesOf(text) {
  const fences = []
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index += 1) {
    const [, indent, ticks, language] = /^(\s*)(`{3,})(\w*)\s*$/.exec(lines[index]) ?? []
    if (ticks === undefined) continue
    const end = lines.findIndex((line, at) => at > index && line.trim() === ticks)
    if (end === -1) throw new Error(`Expected the fence of line ${index + 1} to end, and it does not.`)
    const code = lines.slice(index + 1, end).map((line) => line.slice(indent.length))
    fences.push({
      line: index + 1,
      language,
      code: code.join('\n'),
      ...saidBefore(lines, index),
      ...placed(fences, lines, index),
    })
    fences[fences.length - 1].end = end + 1
    index = end
  }
  return fences
    .map((fence) => ({ ...fence, way: wayOf(fence) }))
    .map((fence, index, all) => ({ ...fence, isShown: all[index + 1]?.way.kind === 'output' }))
}

/** The comment and the mark above a code block, ignoring blank lines. */
function saidBefore(lines, index) {
  let check = null
  for (let at = index - 1; at >= 0; at -= 1) {
    const line = lines[at].trim()
    if (line === '') continue
    const [, directive] = /^<!-- check: (.+) -->$/.exec(line) ?? []
    if (directive === undefined) return { check, notRun: /^\*Not run: (.+)\*$/.exec(line)?.[1] ?? null }
    check = directive
  }
  return { check, notRun: null }
}

/** Whether it directly follows the previous block, ignoring blank lines. */
function placed(fences, lines, index) {
  const before = fences.at(-1)
  const isNext = before !== undefined && lines.slice(before.end, index).every((line) => line.trim() === '')
  return { isNext, before: isNext ? before.language : null }
}

/** How a block without a comment is checked, by its language. Those without a language are drawings, plans and listings: nothing to run. */
const kinds = { sh: 'shell', sql: 'sql', js: 'module', ts: 'module', json: 'json', text: 'drawing', '': 'drawing' }

/** How a block is checked: by its comment, if it has one. */
function wayOf({ language, check, notRun, before }) {
  if (notRun !== null) return { kind: 'not run', reason: notRun }
  if (check !== null) return wayOfComment(check)
  if (output.has(language) && programs.has(before)) return { kind: 'output' }
  if (Object.hasOwn(kinds, language)) return { kind: kinds[language] }
  return { kind: 'unknown', reason: `the language ${language}` }
}

function wayOfComment(check) {
  const [, kind, rest] = /^(receiver|api|excerpt of|file|output of|setup) (.+)$/.exec(check) ?? []
  return kind === undefined ? { kind: 'unknown', reason: `the comment "check: ${check}"` } : { kind, rest }
}

/** What is wrong with the marks of all pages together: unknown ways, and too many that are not run. */
export function markProblems(pages) {
  const fences = pages.flatMap(({ path, fences: own }) => own.map((fence) => ({ ...fence, path })))
  const problems = fences
    .filter(({ way }) => way.kind === 'unknown')
    .map(
      ({ path, line, way }) =>
        `${path}:${line}: expected a fence that can be checked, got ${way.reason}. Say above it how, or "*Not run: why.*"`,
    )
  const notRun = fences.filter(({ way }) => way.kind === 'not run')
  for (const { path, line, language } of notRun)
    if (alwaysRun.has(language))
      problems.push(`${path}:${line}: expected ${language} to be run, and it is marked as not run.`)
  const counted = fences.filter(({ way }) => way.kind !== 'drawing').length
  if (notRun.length * 10 > counted)
    problems.push(`Expected at most a tenth of ${counted} snippets to be marked as not run, got ${notRun.length}.`)
  return problems
}
