import { withoutPassword } from './database-url.ts'
import { settings } from './settings.ts'
import type { Setting } from './settings/setting.ts'
import { findValue } from './sources.ts'
import type { Source } from './sources.ts'

/** One setting as people may see it: a secret is only shown as set. */
export interface DescribedSetting {
  readonly name: string
  readonly env: string
  readonly value: unknown
  readonly origin: Source['origin'] | 'default'
  readonly unit: string
  readonly sentence: string
}

/** Every setting with its value and source; secrets are never shown. */
export function describeSettings(sources: readonly Source[]): DescribedSetting[] {
  return Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const given = findValue(setting, sources)
    const value = given === null ? setting.default : given.value
    const { unit, sentence } = setting
    return {
      name,
      env: given?.env ?? setting.env[0] ?? '',
      value: shownValue(name, setting, value),
      origin: given?.origin ?? 'default',
      unit,
      sentence,
    }
  })
}

function shownValue(name: string, { secret = false, scale = 1 }: Setting<unknown>, value: unknown): unknown {
  if (value === null) return null
  if (secret) return '(set)'
  if (name === 'databaseUrl' && typeof value === 'string') return withoutPassword(value)
  return typeof value === 'number' ? value / scale : value
}
