import { expected } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { describeSettings } from './describe.ts'
import { readConfigFile } from './file.ts'
import { settingNames } from './settings.ts'
import type { Settings } from './settings.ts'
import { settingsFrom } from './sources.ts'
import type { Source } from './sources.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** All settings, from the environment or their defaults. An invalid value is refused with the variable's name. */
export function settingsFromEnvironment(environment: Environment = process.env): Settings {
  return settingsFrom([{ origin: 'environment', values: environment }])
}

/** The settings as lines of `NAME=value  # sentence`; secrets are never shown. */
export function printSettings(environment: Environment = process.env): string[] {
  return describeSettings([{ origin: 'environment', values: environment }]).map(({ env, value, sentence }) => {
    const shown = Array.isArray(value) ? value.join(',') : `${value as string | number | boolean | null}`
    return `${env}=${shown}  # ${sentence}`
  })
}

/** The sources of the commands: the environment, then the file that POSTHORN_CONFIG names, or posthorn.json if there is one. */
export function commandSources(environment: Environment = process.env): readonly Source[] {
  const named = environment['POSTHORN_CONFIG']
  const values = readConfigFile(named === undefined || named === '' ? null : named, settingNames())
  return [
    { origin: 'environment', values: environment },
    ...(values === null ? [] : [{ origin: 'file' as const, values }]),
  ]
}

/** A warning for each variable that looks like a setting but is none: a typo would silently do nothing. */
export function unknownVariables(environment: Environment = process.env): string[] {
  const known = [...settingNames(), 'POSTHORN_CONFIG']
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith('POSTHORN_') && !known.includes(name))
    .toSorted()
  return unknown.map((name) => `${name} is no setting of Posthorn.${didYouMean(name, known)}`)
}

/** Refuses an environment in which Node checks no certificates: API keys and the database's password could go to anybody. */
export function checkTlsIsChecked(environment: Environment = process.env): void {
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return
  throw expected(
    'invalid_argument',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'unset',
    '0',
    'With it, anybody could be answering. Unset it, and name your own certificate authority in NODE_EXTRA_CA_CERTS.',
  )
}
