import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshSchema } from '../../postgres.ts'
import { builtPackage, root } from '../built.ts'
import { startProgram } from '../program.ts'

const built = builtPackage()

test(
  'npm run move:check, with fewer deliveries: killed half way, nothing is sent twice and nothing lost',
  { timeout: 120_000 },
  async () => {
    const { url } = freshSchema()
    const few = ['--deliveries', '2000', '--lease-ms', '1000', '--scheduled-ms', '1000']
    const program = startProgram(join(root, 'scripts/move/main.js'), [
      ...few,
      '--postgres',
      url,
      '--dist',
      built.path('.'),
    ])
    const { code } = await program.ended
    expect({ code, last: program.lines.at(-1) }, `${program.lines.join('\n')}\n${program.stderr}`).toEqual({
      code: 0,
      last: 'rows equal, 0 sent twice, 0 lost',
    })
  },
)
