import { readFileSync } from 'node:fs'
import { messageOf, PosthornError } from '../core/errors.ts'
import { settings } from './settings.ts'
import { checkAlarmSettings } from './settings/alarms.ts'
import type { Settings } from './settings.ts'
import type { Setting } from './settings/setting.ts'

/** Sources of settings; the first that has a value wins. */
export interface Source {
  readonly origin: 'environment' | 'file'
  readonly values: Readonly<Record<string, string | undefined>>
}

/** All settings, from the sources or their defaults. */
export function settingsFrom(sources: readonly Source[]): Settings {
  const entries = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => [
    name,
    findValue(setting, sources)?.value ?? setting.default,
  ])
  const all = Object.fromEntries(entries) as Settings
  checkAlarmSettings(all)
  return all
}

/** Only the settings that are actually given: a command may choose the others itself. */
export function givenSettings(sources: readonly Source[]): Partial<Settings> {
  const entries = Object.entries<Setting<unknown>>(settings).map(
    ([name, setting]) => [name, findValue(setting, sources)?.value] as const,
  )
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** A given value, with its name and source. */
interface FoundValue {
  readonly value: unknown
  readonly env: string
  readonly origin: Source['origin']
}

export function findValue(setting: Setting<unknown>, sources: readonly Source[]): FoundValue | null {
  for (const { origin, values } of sources) {
    for (const env of setting.env) {
      const given =
        values[env] ?? (setting.secret === true ? secretFrom(values[`${env}_FILE`], `${env}_FILE`) : undefined)
      if (given !== undefined && given.trim() !== '') return { value: setting.read(given.trim(), env), env, origin }
    }
  }
  return null
}

function secretFrom(path: string | undefined, name: string): string | undefined {
  if (path === undefined || path === '') return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new PosthornError(
      'invalid_argument',
      `Expected \`${name}\` to name a file that can be read: ${messageOf(cause)}.`,
      { cause },
    )
  }
}
