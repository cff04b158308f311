import { strings } from './strings.ts'
import type { StringKey } from './strings.ts'

/** What the server wrote into the page: the look of the portal, its strings, and where it can be embedded. */
interface PortalSettings {
  readonly name: string
  readonly logo: string | null
  readonly theme: string
  readonly frameAncestors: readonly string[]
  readonly strings: Readonly<Partial<Record<StringKey, string>>>
}

const unset: PortalSettings = { name: 'Webhooks', logo: null, theme: 'system', frameAncestors: [], strings: {} }

export const portal: PortalSettings = {
  ...unset,
  ...(JSON.parse(document.getElementById('settings')?.textContent ?? '{}') as Partial<PortalSettings>),
}

/** The string for a key, in the customer's language if there is a translation. */
export function say(key: StringKey, values: Readonly<Record<string, string | number>> = {}): string {
  const template: string = portal.strings[key] ?? strings[key]
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

export const language = usableLanguage(say('language'))

/** An unknown language would break every page that shows a time. */
function usableLanguage(given: string): string {
  try {
    return Intl.getCanonicalLocales(given)[0] ?? strings.language
  } catch {
    return strings.language
  }
}
