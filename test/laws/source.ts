import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** A file of the tree: its path below the root, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** A text taken apart, so that a law about code is not broken by a comment, nor one about SQL by code. */
export interface Source {
  /** Comments and the contents of strings are blank; all else stands where it stood. */
  readonly code: string
  /** Only comments are blank. */
  readonly uncommented: string
  /** The contents of strings and templates, a template's `${…}` included as written. */
  readonly strings: readonly string[]
}

/** All TypeScript files below a folder, in order of their paths. */
export function readTree(root: string): SourceFile[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(root, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

// A slash begins a regular expression where no value can have ended.
const beforeExpression = /(^|[(,=:[!&|?{};+*%~^]|=>|\b(return|typeof|case|in|of|await))\s*$/

export function readSource(text: string): Source {
  const code = text.split('')
  const uncommented = text.split('')
  const strings: string[] = []
  const templates: { start: number; depth: number }[] = []
  let depth = 0
  let at = 0

  function blank(from: number, to: number, ...kept: string[][]): void {
    for (let place = from; place < to; place += 1) {
      if (text[place] === '\n') continue
      code[place] = ' '
      for (const characters of kept) characters[place] = ' '
    }
  }

  function comment(end: string): void {
    const found = text.indexOf(end, at + 2)
    const to = found === -1 ? text.length : found + (end === '\n' ? 0 : end.length)
    blank(at, to, uncommented)
    at = to
  }

  function quoted(quote: string): void {
    const to = endOf(text, at + 1, (character) => character === quote || character === '\n')
    strings.push(text.slice(at + 1, to))
    blank(at + 1, to)
    at = to + 1
  }

  function template(start: number): void {
    const to = endOf(text, at, (character, place) => character === '`' || text.startsWith('${', place))
    blank(at, to)
    if (text[to] === '$') {
      templates.push({ start, depth })
      at = to + 2
      return
    }
    strings.push(text.slice(start, to))
    at = to + 1
  }

  function expression(): void {
    let inClass = false
    const to = endOf(text, at + 1, (character) => {
      if (character === '[') inClass = true
      if (character === ']') inClass = false
      return (character === '/' && !inClass) || character === '\n'
    })
    blank(at + 1, to)
    at = to + 1
  }

  while (at < text.length) {
    const character = text.charAt(at)
    if (text.startsWith('//', at)) comment('\n')
    else if (text.startsWith('/*', at)) comment('*/')
    else if (character === "'" || character === '"') quoted(character)
    else if (character === '/' && beforeExpression.test(code.slice(Math.max(0, at - 40), at).join(''))) expression()
    else if (character === '`') template((at += 1))
    else if (character === '}' && templates.at(-1)?.depth === depth) {
      at += 1
      template(templates.pop()?.start ?? at)
    } else {
      if (character === '{') depth += 1
      if (character === '}') depth -= 1
      at += 1
    }
  }
  return { code: code.join(''), uncommented: uncommented.join(''), strings }
}

/** What a file imports or passes on, types included, as written. */
export function importsOf(source: Source): string[] {
  const statements = source.uncommented.matchAll(
    /^\s*(?:import|export)\b[^'"]*?\bfrom\s+['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/gm,
  )
  return [...statements].map((match) => match[1] ?? match[2] ?? '')
}

function endOf(text: string, from: number, isEnd: (character: string, place: number) => boolean): number {
  for (let place = from; place < text.length; place += 1) {
    if (text[place] === '\\') place += 1
    else if (isEnd(text.charAt(place), place)) return place
  }
  return text.length
}
