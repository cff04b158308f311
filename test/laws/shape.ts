import { dirname, join } from 'node:path/posix'
import { importsOf, readSource } from './source.ts'
import type { SourceFile } from './source.ts'

/** Which files of a tree import which others of it, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

export function importGraph(tree: readonly SourceFile[]): ImportGraph {
  const paths = new Set(tree.map(({ path }) => path))
  return new Map(
    tree.map(({ path, text }) => {
      const relative = importsOf(readSource(text)).filter((name) => name.startsWith('.'))
      return [path, relative.map((name) => join(dirname(path), name)).filter((target) => paths.has(target))]
    }),
  )
}

/** Folders with more files than a reader can take in at once. */
export function crowdedFolders(tree: readonly SourceFile[], most: number): string[] {
  const counts = new Map<string, number>()
  for (const { path } of tree) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].filter(([, count]) => count > most).map(([folder, count]) => `${folder}: ${count}`)
}

/** A file that imports itself by way of others, with that way; one for each way that is found first. */
export function cycles(graph: ImportGraph): string[] {
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start !== -1) found.push([...way.slice(start), path].join(' → '))
    if (start !== -1 || done.has(path)) return
    for (const target of graph.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

/** Imports between folders that the table does not name. */
export function strayImports(graph: ImportGraph, table: ReadonlyMap<string, readonly string[]>): string[] {
  return [...graph].flatMap(([path, targets]) =>
    targets
      .filter((target) => topOf(target) !== topOf(path) && table.get(topOf(path))?.includes(topOf(target)) !== true)
      .map((target) => `${path} imports ${target}`),
  )
}

/** Rows of the table that nothing needs any more. */
export function unusedRows(graph: ImportGraph, table: ReadonlyMap<string, readonly string[]>): string[] {
  const used = new Set(
    [...graph].flatMap(([path, targets]) => targets.map((target) => `${topOf(path)} ${topOf(target)}`)),
  )
  return [...table]
    .flatMap(([folder, others]) => others.map((other) => `${folder} ${other}`))
    .filter((row) => !used.has(row))
}

/** The table of a document: the first column and what the second names, in backticks. */
export function importTable(markdown: string): Map<string, readonly string[]> {
  const [, section = ''] = markdown.split('| folder | imports |')
  const rows = section.split('\n\n', 1)[0] ?? ''
  return new Map(
    [...rows.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)].map(([, folder = '', others = '']) => [
      folder,
      [...others.matchAll(/`([^`]+)`/g)].map(([, other = '']) => other),
    ]),
  )
}

/** The first folder of a path, or the file itself if it lies at the root. */
function topOf(path: string): string {
  return path.split('/', 1)[0] ?? path
}
