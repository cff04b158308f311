import { describe, expect, test } from 'vitest'
import { columns } from '../../src/cli/view/columns.ts'
import { screenOf, sizeOf } from '../../src/cli/view/paint.ts'

const now = Date.parse('2026-11-18T12:00:00.000Z')
const headings = ['DELIVERY', 'CREATED', 'STATUS', 'TO', 'LAST ERROR']
const rows = [
  [
    'dlv_1m7p21a4ctx103c0',
    '2026-11-18T11:55:00.000Z',
    'delivered',
    'https://acme.example/a/very/long/path/of/hooks',
    '',
  ],
  [
    'dlv_1m7p21a4ctx103c1',
    '2026-11-18T12:00:14.500Z',
    'dead: exhausted',
    'https://globex.example/hooks',
    'HTTP 503: the service is not there',
  ],
]

describe('a table', () => {
  test.each([200, 100, 80, 60, 40])('fits a terminal of %i columns, and its ids are whole', (width) => {
    const lines = columns(headings, rows, { columns: width, now, paint: (_, text) => text }).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(width)
    expect(lines.slice(1).map((line) => line.split(' ', 1)[0])).toEqual(rows.map(([id]) => id))
  })

  test('cuts with an ellipsis what does not fit, and leaves the rest as it is', () => {
    const text = columns(headings, rows, { columns: 80, now, paint: (_, shown) => shown })
    expect(text).toContain('…')
    expect(columns(headings, rows, { columns: 200, now, paint: (_, shown) => shown })).not.toContain('…')
  })

  test('has exact times where there is room, else relative ones', () => {
    expect(columns(headings, rows, { columns: 200, now, paint: (_, text) => text })).toContain(
      '2026-11-18T11:55:00.000Z',
    )
    const narrow = columns(headings, rows, { columns: 80, now, paint: (_, text) => text })
    expect(narrow).toContain('5 min ago')
    expect(narrow).toContain('in 14 s')
    expect(narrow).not.toContain('2026')
  })

  test('leaves out its last columns on a terminal that is too narrow for them', () => {
    const [line] = columns(headings, rows, { columns: 40, now, paint: (_, text) => text }).split('\n')
    expect(line?.split(/ {2,}/)).toEqual(['DELIVERY', 'CREATED', 'STATUS'])
  })

  test('is whole and without colours where a program reads it', () => {
    const text = columns(headings, rows, screenOf({ isTTY: false } as NodeJS.WriteStream))
    for (const each of rows.flat()) expect(text).toContain(each)
    expect(text).not.toContain('\x1b')
  })

  test.each([
    [true, true],
    [false, false],
  ])('has colours if the terminal has (%s)', (hasColors, isPainted) => {
    const output = { isTTY: true, columns: 200, hasColors: () => hasColors } as NodeJS.WriteStream
    const text = columns(headings, rows, screenOf(output))
    expect(text.includes('\x1b[32mdelivered\x1b[0m')).toBe(isPainted)
    expect(text.includes('\x1b[31mdead: exhausted\x1b[0m')).toBe(isPainted)
    expect(text.includes('\x1b')).toBe(isPainted)
  })

  test.each([0, undefined])('is drawn for 80 columns where a terminal reports %s', (width) => {
    const output = { isTTY: true, columns: width, rows: width, hasColors: () => false } as NodeJS.WriteStream
    expect(sizeOf(output)).toEqual({ columns: 80, rows: 24 })
    expect(screenOf(output).columns).toBe(80)
  })

  test('is as wide with colours as without', () => {
    const painted = columns(headings, rows, { columns: 80, now, paint: (_, text) => `\x1b[1m${text}\x1b[0m` })
    const plain = columns(headings, rows, { columns: 80, now, paint: (_, text) => text })
    // oxlint-disable-next-line eslint/no-control-regex -- What a terminal takes for colours.
    expect(painted.replaceAll(/\x1b\[\d+m/g, '')).toBe(plain)
  })
})
