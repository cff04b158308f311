import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Whether a file imports another, itself or through others of the tests. */
export function leadsTo(wanted: string, file: string, seen = new Set<string>()): boolean {
  if (file === wanted) return true
  if (seen.has(file) || !file.startsWith(import.meta.dirname)) return false
  seen.add(file)
  const imported = [...readFileSync(file, 'utf8').matchAll(/^import (?!type )[^']*'(\.[^']+\.ts)'/gm)].map(
    ([, path = '']) => resolve(dirname(file), path),
  )
  return imported.some((path) => leadsTo(wanted, path, seen))
}
