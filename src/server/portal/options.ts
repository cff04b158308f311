import { expected } from '../../core/errors.ts'
import { urlOf } from '../../core/url.ts'
import { isColour } from './colour.ts'

/** How the customers' portal looks, and where it can be embedded. */
export interface PortalOptions {
  /** Its title; "Webhooks" by default. */
  readonly name?: string
  /** The path of an image: PNG, JPEG, WebP, GIF or SVG, up to 256 KiB. */
  readonly logo?: string | null
  /** The colour of links and buttons, such as `#1d4f91`; a second one is for the dark theme. */
  readonly color?: readonly string[]
  /** `system`, the setting of each customer's device, by default. */
  readonly theme?: string
  /** Origins whose pages can show it in a frame, such as https://app.example; none by default. */
  readonly frameAncestors?: readonly string[]
  /** The path of a JSON file with texts that replace the portal's own. */
  readonly strings?: string | null
  /** Called with problems of logo, colour and strings; a process warning by default. */
  readonly warn?: (sentence: string) => void
}

/** The options with their defaults. */
export type CheckedPortal = Required<Omit<PortalOptions, 'warn'>> & Pick<PortalOptions, 'warn'>

const usual: CheckedPortal = {
  name: 'Webhooks',
  logo: null,
  color: [],
  theme: 'system',
  frameAncestors: [],
  strings: null,
}
const themes = ['system', 'light', 'dark']
const mostNameLength = 80

/** Refuses what can only be a mistake, naming the option. */
export function checkPortal(
  options: PortalOptions,
  nameOf: (option: 'name' | 'color' | 'theme' | 'frameAncestors') => string = (option) => `portal.${option}`,
): CheckedPortal {
  const checked = { ...usual, ...options }
  const { name, color, theme, frameAncestors } = checked
  if (name.length > mostNameLength)
    throw expected('invalid_argument', nameOf('name'), `at most ${mostNameLength} characters`, name)
  if (color.length > 2 || !color.every(isColour))
    throw expected('invalid_argument', nameOf('color'), 'a colour such as #1d4f91, or two: for light and dark', color)
  if (!themes.includes(theme)) throw expected('invalid_argument', nameOf('theme'), `one of ${themes.join(', ')}`, theme)
  const wrong = frameAncestors.find((origin) => !isOrigin(origin))
  if (wrong === undefined) return checked
  throw expected(
    'invalid_argument',
    nameOf('frameAncestors'),
    'a list of origins such as https://app.example',
    wrong,
    'An origin has a scheme and a host, and no path; each is named by itself.',
  )
}

/** Plain characters only: it becomes part of the page's policy, where others have a meaning. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/.test(text) && urlOf(text)?.origin === text
}
