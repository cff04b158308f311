import { join } from 'node:path'
import { expect } from 'vitest'
import { builtPackage, root } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'

export interface CrashResult {
  readonly code: number | null
  /** All lines but the last. */
  readonly lines: readonly string[]
  /** The figures of the last line, by their words; empty if it has another form. */
  readonly figures: Readonly<Record<string, number>>
  /** Everything, to be shown when a test fails. */
  readonly said: string
}

const briefly = ['--limit', '30']
const form = /^accepted (\d+) delivered (\d+) dead (\d+) lost (\d+) repeats (\d+) explained (\d+)$/

/** Short runs of the crash tool, on the package as a user runs it. */
export function crashRun(): (args: readonly string[]) => Promise<CrashResult> {
  const built = builtPackage()
  return async (args) => {
    const program = startProgram(join(root, 'scripts/crash/main.js'), [...args, ...briefly, '--dist', built.path('.')])
    const { code } = await program.ended
    const words = ['accepted', 'delivered', 'dead', 'lost', 'repeats', 'explained']
    const values =
      form
        .exec(program.lines.at(-1) ?? '')
        ?.slice(1)
        .map(Number) ?? []
    const figures = Object.fromEntries(values.map((value, index) => [words[index] ?? '', value]))
    return { code, lines: program.lines.slice(0, -1), figures, said: `${program.lines.join('\n')}\n${program.stderr}` }
  }
}

/** Whatever its seed: all that was accepted came, and every repeat has its fault. */
export function expectAllDelivered({ code, lines, figures, said }: CrashResult): void {
  const { accepted = 0, repeats } = figures
  expect({ code, ...figures }, said).toEqual({
    code: 0,
    accepted,
    delivered: accepted,
    dead: 0,
    lost: 0,
    repeats,
    explained: repeats,
  })
  expect(accepted, said).toBeGreaterThan(20)
  expect(lines.at(-1), said).toMatch(/^longest recovery \d+ ms$/)
}

/** All but the poison, which is on hold as a suspect, or dead. */
export function expectOnlyPoisonUndelivered({ code, lines, figures, said }: CrashResult): void {
  const { accepted = 0, repeats = 0, dead = 0 } = figures
  expect({ code, ...figures }, said).toEqual({
    code: 0,
    accepted,
    delivered: accepted - 1,
    dead,
    lost: 0,
    repeats,
    explained: repeats,
  })
  expect(dead + (lines.includes('open 1') ? 1 : 0), said).toBe(1)
  // Three sends of the poison are two repeats.
  expect(repeats, said).toBeGreaterThanOrEqual(2)
}
