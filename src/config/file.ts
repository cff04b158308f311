import { readFileSync } from 'node:fs'
import { expected, messageOf, PosthornError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'

const usualFile = 'posthorn.json'

/** The settings in a JSON file, with the same names as in the environment. Null if no file was named and the default one does not exist. */
export function readConfigFile(
  named: string | null,
  known: readonly string[],
): Readonly<Record<string, string>> | null {
  const path = named ?? usualFile
  const text = textOf(path, named === null)
  if (text === null) return null
  const values = parsed(text, path)
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [checkName(name, path, known), asText(name, path, value)]),
  )
}

function textOf(path: string, mayBeMissing: boolean): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (mayBeMissing && cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null
    throw new PosthornError(
      'invalid_argument',
      `Expected the settings in ${path} to be readable: ${messageOf(cause)}. POSTHORN_CONFIG names another file.`,
      { cause },
    )
  }
}

function parsed(text: string, path: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PosthornError('invalid_argument', `Expected ${path} to be JSON: ${messageOf(cause)}.`, { cause })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw expected('invalid_argument', path, 'an object of settings, such as {"POSTHORN_PORT": 8071}', value)
}

/** A typo in a name would otherwise silently do nothing. */
function checkName(name: string, path: string, known: readonly string[]): string {
  if (known.includes(name)) return name
  throw new PosthornError(
    'invalid_argument',
    `Expected ${path} to hold settings only, got "${name}".${didYouMean(name, known)}`,
  )
}

function asText(name: string, path: string, value: unknown): string {
  const isList = Array.isArray(value) && value.every((part) => typeof part === 'string')
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || isList)
    return String(value)
  throw expected('invalid_argument', name, `text, a number, true, false or a list of texts in ${path}`, value)
}
