import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { grounds } from '../../src/server/portal/colour.ts'

const folder = fileURLToPath(new URL('../../src/ui', import.meta.url))
const styles = readdirSync(join(folder, 'styles'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.css'),
)
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
const named = 'black|white|red|green|blue|gray|grey|orange|yellow|purple'
const colour = new RegExp(
  String.raw`#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|light-dark)\(|:[^;{}]*\b(?:${named})\b[^-]`,
  'i',
)

function coloursIn(text: string): string[] {
  return text.split('\n').filter((line) => colour.test(line))
}

test('every colour of the styles is a token', () => {
  expect(styles).toContain('tokens.css')
  for (const name of styles.filter((each) => each !== 'tokens.css'))
    expect(coloursIn(readFileSync(join(folder, 'styles', name), 'utf8')), name).toEqual([])
})

test("the backgrounds that a portal's colour is held against are those of the tokens", () => {
  const tokens = readFileSync(join(folder, 'styles/tokens.css'), 'utf8')
  const pairs = ['page', 'surface', 'raised', 'sunken'].map((name) =>
    new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens)?.slice(1),
  )
  expect(new Set(grounds.light.backgrounds)).toEqual(new Set(pairs.map((pair) => pair?.[0])))
  expect(new Set(grounds.dark.backgrounds)).toEqual(new Set(pairs.map((pair) => pair?.[1])))
  expect([grounds.light.surface, grounds.dark.surface]).toEqual(pairs[1])
})

test('no part has colours of its own', () => {
  expect(sources.length).toBeGreaterThan(40)
  for (const name of sources) {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(/(?:fill|stroke|color|background)[=:]\s*["'{]*\s*(?:#[0-9a-f]{3,8}\b|rgb|hsl)/i.test(text), name).toBe(false)
  }
})

test.each([
  ['color: #fff;', true],
  ['background: rgb(0 0 0 / 50%);', true],
  ['border: 1px solid red;', true],
  ['color: var(--ink);', false],
  ['background: color-mix(in srgb, var(--accent) 88%, var(--ink));', false],
  ['color: currentcolor;', false],
])('%s is a raw colour: %s', (line, isRaw) => expect(coloursIn(line).length > 0).toBe(isRaw))

test('motion is where those who ask for less of it are heard', () => {
  for (const name of styles) {
    const text = readFileSync(join(folder, 'styles', name), 'utf8')
    const outside = text.replaceAll(/@media \(prefers-reduced-motion: no-preference\) \{[\s\S]*?\n\}/g, '')
    expect(/\b(?:animation|transition)(?:-[a-z]+)?:/.test(outside), name).toBe(false)
  }
})
