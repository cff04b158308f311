import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { builtPackage } from './built.ts'
import { temporaryFolder } from './folder.ts'
import { linesOf } from './log-lines.ts'
import { startProgram } from './program.ts'

const built = builtPackage()

// In a file of its own, because it mostly waits: the others run beside it.
test(
  'posthorn dev --once sends twenty samples, ends when all have ended, and has lost nothing',
  { timeout: 60_000 },
  async () => {
    const folder = await temporaryFolder()
    const program = startProgram(built.path('cli/main.js'), ['dev', '--once'], { TMPDIR: folder })
    expect(await program.ended).toEqual({ code: 0, signal: null })

    expect(program.lines.at(-1)).toBe('sent 20 delivered 17 dead 3 lost 0')
    expect(program.lines.filter((line) => line.includes('  enqueued  '))).toHaveLength(20)
    expect(program.lines.filter((line) => line.includes('  delivered  '))).toHaveLength(17)
    expect(program.lines.filter((line) => line.includes('  dead  '))).toHaveLength(3)
    expect(
      program.lines.some((line) =>
        /^\d{4}-\S+Z {2}dlv_\w{19} {2}500 {7}failed {5}attempt 1: HTTP 500: made to fail; again in 2 s$/.test(line),
      ),
    ).toBe(true)
    expect(
      program.lines.some((line) =>
        /dlv_\w{19} {2}hang {6}failed {5}attempt 1: no answer within 5000 ms; again in 2 s$/.test(line),
      ),
    ).toBe(true)
    expect(linesOf(program.stderr)).toMatchObject([
      {
        level: 'warn',
        event: 'warning.unsafe_retry_delays',
        msg: expect.stringContaining('Retry delays under 30 s are allowed by override, in policy "dev".'),
      },
    ])
    expect(program.stderr).toContain("new Posthorn({ store: sqlite('webhooks.db') })")
    expect(readdirSync(folder)).toEqual([])
  },
)
