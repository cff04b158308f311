/** An sRGB colour: red, green and blue from 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number]

/** The backgrounds of text in one theme, from the pages' tokens, and the colour it is mixed with until it is readable. */
interface Ground {
  readonly backgrounds: readonly string[]
  readonly surface: string
  readonly towards: string
}

/** A readable accent for one theme, and the tint behind selected items. */
export interface Accent {
  readonly color: string
  readonly wash: string
  /** False if it had to be changed to be readable. */
  readonly isAsGiven: boolean
}

/** The same as in the tokens of the pages: a test compares them. */
export const grounds: Readonly<Record<'light' | 'dark', Ground>> = {
  light: { backgrounds: ['#f0f2f4', '#f6f7f8', '#ffffff'], surface: '#ffffff', towards: '#000000' },
  dark: { backgrounds: ['#101316', '#12161a', '#171b1f', '#1e2328'], surface: '#171b1f', towards: '#ffffff' },
}
// WCAG 2.2, 1.4.3: text of normal size.
const leastContrast = 4.5
const washShare = 0.1
const steps = 50

export function isColour(text: string): boolean {
  return /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)
}

/** The closest colour that is readable as text on every background of a theme. */
export function accentFor(color: string, theme: 'light' | 'dark'): Accent {
  const ground = grounds[theme]
  const given = rgbOf(color)
  for (let step = 0; step <= steps; step += 1) {
    const tried = mixed(given, rgbOf(ground.towards), step / steps)
    const wash = mixed(rgbOf(ground.surface), tried, washShare)
    const backgrounds = [...ground.backgrounds.map(rgbOf), wash]
    if (backgrounds.every((background) => contrast(tried, background) >= leastContrast))
      return { color: hexOf(tried), wash: hexOf(wash), isAsGiven: step === 0 }
  }
  // Black on light and white on dark are readable on all of these backgrounds: the last step is one of them.
  throw new Error(`Expected ${ground.towards} to have contrast in the ${theme} theme.`)
}

/** The contrast of two colours as defined by WCAG, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((first, second) => second - first)
  return (lighter + 0.05) / (darker + 0.05)
}

export function rgbOf(hex: string): Rgb {
  const digits = hex.length === 4 ? hex.slice(1).replaceAll(/./g, '$&$&') : hex.slice(1)
  const part = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16)
  return [part(0), part(2), part(4)]
}

function hexOf(color: Rgb): string {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2): number => Math.round(one[at] + (other[at] - one[at]) * share)
  return [part(0), part(1), part(2)]
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(part: number): number {
  const value = part / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}
