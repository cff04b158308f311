import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { simulate } from './command.ts'
import { scenarioOf } from './plan.ts'

const folder = mkdtempSync(join(tmpdir(), 'posthorn-scenarios-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function run(...args: string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const code = await simulate(args, { line: (text) => lines.push(text), error: (text) => errors.push(text) })
  return { code, lines, error: errors.join('\n') }
}

function fileWith(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('bad input is named, and ends with 2', () => {
  test.each([
    [['--seed', 'seven'], 'Expected --seed to be a whole number from 0 to 999999999, got "seven".'],
    [['--seeds', '0'], 'Expected --seeds to be a whole number from 1'],
    [['--seeds', '-3'], '--seeds'],
    [['--from', '1.5'], 'Expected --from to be a whole number'],
    [['--sed', '1'], "Unknown option '--sed'"],
    [['--scenario', '/nowhere/at-all.json'], 'Expected a scenario in /nowhere/at-all.json, found no file'],
  ])('%j', async (args, message) => {
    const { code, error } = await run(...args)
    expect(code).toBe(2)
    expect(error).toContain(message)
  })

  test.each([
    ['older.json', { ...scenarioOf(1), format: 0 }, 'to have the format 1, got 0'],
    ['nameless.json', { seeds: [1, 2, 3] }, 'to have the format 1, got none'],
    ['text.json', 'seed 12', 'to hold a scenario as JSON'],
    [
      'half.json',
      { format: 1, actions: [], processes: [], endpoints: [] },
      'to have seed, lengthMs, store and settings',
    ],
    ['listless.json', { ...scenarioOf(1), actions: 7 }, 'Expected `actions`'],
    ['unknown.json', { ...scenarioOf(1), actions: [{ at: 1, do: 'earthquake' }] }, 'got "earthquake"'],
  ])('a scenario like %s', async (name, content, message) => {
    const { code, error } = await run('--scenario', fileWith(name, content))
    expect(code).toBe(2)
    expect(error).toContain(message)
  })
})

test('a scenario that keeps every promise ends with 0 and the hash of its trace', async () => {
  const quiet = { ...scenarioOf(1), lengthMs: 10_000, actions: [{ at: 10, do: 'start', process: 0 }] }
  const { code, lines } = await run('--scenario', fileWith('quiet.json', quiet), '--trace')
  expect(lines.at(-1)).toMatch(/^trace [0-9a-f]{16}, \d+ events, 0 deliveries, \d+ virtual seconds, 0 violations$/)
  expect(lines.length).toBeGreaterThan(10)
  expect(code).toBe(0)
})
