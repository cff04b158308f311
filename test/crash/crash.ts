import { join } from 'node:path'
import { expect } from 'vitest'
import { builtPackage, root } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'

/** A short run of the crash tool: whatever its seed, nothing is lost and every repeat has its fault. */
export function crashRun(): (args: readonly string[]) => Promise<void> {
  const built = builtPackage()
  return async (args) => {
    const program = startProgram(join(root, 'scripts/crash/main.js'), [...args, '--dist', built.path('.')])
    const { code } = await program.ended
    const said = `${program.lines.join('\n')}\n${program.stderr}`
    const [, accepted, delivered, lost, repeats, explained] =
      /^accepted (\d+) delivered (\d+) lost (\d+) repeats (\d+) explained (\d+)$/.exec(program.lines.at(-1) ?? '') ?? []
    expect({ code, delivered, lost, explained }, said).toEqual({ code: 0, delivered: accepted, lost: '0', explained: repeats })
    expect(Number(accepted), said).toBeGreaterThan(100)
  }
}
