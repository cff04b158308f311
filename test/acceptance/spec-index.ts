import { readSource } from '../laws/source.ts'

/** A test file: its name and its text. */
export type TestFile = readonly [name: string, text: string]

const idPattern = '(?:UC|RR|LH)-[A-Za-z0-9.-]*[A-Za-z0-9]'

/** The ids of a specification: the first cells of the table whose head begins with `id`. */
export function idsOf(spec: string): string[] {
  const table = spec.slice(spec.search(/^\| id \|/m))
  return [...table.matchAll(new RegExp(`^\\| (${idPattern}) \\|`, 'gm'))].map((match) => match[1] ?? '')
}

/** What stands between a specification and its tests, one sentence each; nothing if every id has its one test and all run. */
export function compareWithSpec(spec: string, files: readonly TestFile[]): string[] {
  const ids = idsOf(spec)
  const found = files.flatMap(titlesOf)
  const count = (id: string): number => found.filter((title) => title.id === id).length
  return [
    ...repeated(ids).map((id) => `${id} stands twice in the specification.`),
    ...ids.filter((id) => count(id) === 0).map((id) => `${id} has no test.`),
    ...repeated(found.map((title) => title.id)).map((id) => `${id} has ${count(id)} tests, and must have one.`),
    ...found
      .filter((title) => !ids.includes(title.id))
      .map((title) => `${title.id} in ${title.file} is not in the specification.`),
    ...files.flatMap(skippedIn),
  ]
}

interface Title {
  readonly id: string
  readonly file: string
  /** Where the call of `test` begins, and where its title does. */
  readonly from: number
  readonly at: number
}

// The table of an `each` or the condition of a `skipIf` may stand between `test` and its title, with two levels of brackets in it.
const between = String.raw`(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)?`
const titlePattern = new RegExp(`\\b(?:test|it)\\b[\\w.]*\\s*${between}\\(\\s*['"\`](${idPattern})(?=[\\s'"\`])`, 'g')

function titlesOf([file, text]: TestFile): Title[] {
  const { uncommented } = readSource(text)
  return [...uncommented.matchAll(titlePattern)].map((match) => ({
    id: match[1] ?? '',
    file,
    from: match.index,
    at: match.index + match[0].length,
  }))
}

// `test.skip`, `describe.only`, `context.skip()`, `{ skip: true }`, `xtest`: whatever keeps a test from running, or from counting.
const skipPattern =
  /\b(\w+)(?:\.\w+)*?\.(skip|skipIf|runIf|todo|only|fails)\b|\b(skip|todo|only|fails)\s*:|\bx(?:test|it|describe)\b/g

function skippedIn(file: TestFile): string[] {
  const [name, text] = file
  const titles = titlesOf(file)
  const marks = [...readSource(text).code.matchAll(skipPattern)]
  return marks.flatMap((mark) => {
    const named = skippedTitles(mark, titles)
    const sign = mark[0].trim()
    return named.length === 0
      ? [`${name} has "${sign}", and no test may be skipped.`]
      : named.map(({ id }) => `${id} in ${name} is skipped by "${sign}".`)
  })
}

function skippedTitles(mark: RegExpExecArray, titles: readonly Title[]): Title[] {
  const head = mark[1] ?? mark[0]
  if (/^x?describe$/.test(head)) return titles.filter((title) => title.at > mark.index)
  const own = titles.find((title) => title.from <= mark.index && mark.index < title.at)
  if (own !== undefined) return [own]
  // In the options or the body of a test: the one that was named last.
  return titles.filter((title) => title.at <= mark.index).slice(-1)
}

function repeated(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))]
}
