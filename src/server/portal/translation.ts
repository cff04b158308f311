import { readFileSync } from 'node:fs'
import { messageOf } from '../../core/errors.ts'
import { didYouMean } from '../../core/nearest.ts'

/** The replaced texts of the portal, by their key. */
export type Translation = Readonly<Record<string, string>>

interface Found {
  readonly strings: Translation
  readonly warnings: readonly string[]
}

const mostBytes = 256 * 1024

/** Where the build puts the portal's own texts, next to its pages. */
const stringsFile = 'portal-strings.json'

/** The texts in a JSON file. Problems are reported, and the portal keeps its own text there. */
export function readTranslation(path: string, known: readonly string[] | null): Found {
  try {
    const text = readFileSync(path)
    if (text.length > mostBytes) return unusable(path, `${Math.ceil(text.length / 1024)} KiB`)
    const given: unknown = JSON.parse(text.toString())
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return unusable(path, 'no object')
    return sorted(path, Object.entries(given), known)
  } catch (error) {
    return unusable(path, messageOf(error))
  }
}

/** The keys of the portal's own texts; null if it is not built. */
export function knownKeys(folder: string): readonly string[] | null {
  try {
    return Object.keys(JSON.parse(readFileSync(`${folder.replace(/\/$/, '')}/${stringsFile}`, 'utf8')) as object)
  } catch {
    return null
  }
}

function unusable(path: string, what: string): Found {
  const sentence = `Expected the portal's strings to be a file of JSON of up to ${mostBytes / 1024} KiB, such as {"nav.endpoints": "Endpunkte"}, got ${path}: ${what}. The portal speaks English.`
  return { strings: {}, warnings: [sentence] }
}

function sorted(
  path: string,
  entries: readonly (readonly [string, unknown])[],
  known: readonly string[] | null,
): Found {
  const isKnown = (key: string): boolean => known === null || known.includes(key)
  const warnings = entries.flatMap(([key, value]) => {
    if (!isKnown(key)) return [`The portal has no string "${key}", which ${path} gives.${didYouMean(key, known ?? [])}`]
    return typeof value === 'string' ? [] : [`Expected "${key}" in ${path} to be text. The portal keeps its own.`]
  })
  const strings = entries.filter(
    (entry): entry is [string, string] => isKnown(entry[0]) && typeof entry[1] === 'string',
  )
  return { strings: Object.fromEntries(strings), warnings }
}
