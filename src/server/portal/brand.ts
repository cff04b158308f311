import { accentFor } from './colour.ts'
import type { Accent } from './colour.ts'
import { readLogo } from './logo.ts'
import type { Logo } from './logo.ts'
import type { CheckedPortal } from './options.ts'
import { knownKeys, readTranslation } from './translation.ts'
import type { Translation } from './translation.ts'

/** The portal as customers see it: the given options, as far as they are usable. */
export interface Brand {
  readonly name: string
  readonly theme: string
  readonly logo: Logo | null
  readonly accents: { readonly light: Accent; readonly dark: Accent } | null
  readonly frameAncestors: readonly string[]
  readonly strings: Translation
}

/** Reads the files that the options name. Problems are passed to `warn`, and the portal goes without that part. */
export function brandOf(options: CheckedPortal, folder: string, warn: (sentence: string) => void): Brand {
  const { name, theme, color, frameAncestors } = options
  const logo = logoOf(options, warn)
  return { name, theme, logo, accents: accentsOf(color, warn), frameAncestors, strings: wordsOf(options, folder, warn) }
}

function logoOf({ logo }: CheckedPortal, warn: (sentence: string) => void): Logo | null {
  const read = logo === null ? null : readLogo(logo)
  if (typeof read !== 'string') return read
  warn(read)
  return null
}

function wordsOf({ strings }: CheckedPortal, folder: string, warn: (sentence: string) => void): Translation {
  if (strings === null) return {}
  const read = readTranslation(strings, knownKeys(folder))
  for (const sentence of read.warnings) warn(sentence)
  return read.strings
}

/** The accent colour of each theme. A single colour is silently adapted to the dark theme; if two are given, both are checked. */
function accentsOf([light, dark]: readonly string[], warn: (sentence: string) => void): Brand['accents'] {
  if (light === undefined) return null
  const accents = { light: accentFor(light, 'light'), dark: accentFor(dark ?? light, 'dark') }
  if (!accents.light.isAsGiven) warn(unreadable(light, 'light', accents.light))
  if (dark !== undefined && !accents.dark.isAsGiven) warn(unreadable(dark, 'dark', accents.dark))
  return accents
}

function unreadable(given: string, theme: string, { color }: Accent): string {
  return `The portal's colour ${given} is too hard to read in the ${theme} theme (a contrast of at least 4.5 is needed): ${color} is used there.`
}
