import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtPackage, root } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'
import { databases } from './world.ts'

const built = builtPackage()

test.each(databases)(
  'the svix client finds all its operations on %s, and no key opens more than it should',
  { timeout: 120_000 },
  async (database) => {
    const program = startProgram(join(root, 'scripts/tour/main.js'), ['--store', database, '--dist', built.path('.')])
    const { code } = await program.ended
    const said = `${program.lines.join('\n')}\n${program.stderr}`
    expect(program.lines, said).toContain(`${database}: 41 of 41 operations ok`)
    expect(program.lines.at(-1), said).toMatch(/^\w+: \d{3} routes and keys tried, 0 leaks$/)
    expect(code, said).toBe(0)
  },
)
