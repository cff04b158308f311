import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../examples/embedded-sqlite.ts'
import { nextSteps } from '../../src/cli/dev/next-steps.ts'
import { builtPackage, root } from './built.ts'

const built = builtPackage()

test('examples/embedded-sqlite.ts delivers a webhook whose signature the receiver can check', async () => {
  const { verified, delivered } = await main()
  expect(verified.messageId).toBe(delivered.message_id)
  expect(delivered.attempt_count).toBe(1)
})

test('the lines that dev prints at its end compile as they are, and fit a terminal', { timeout: 60_000 }, async () => {
  const code = nextSteps.slice(nextSteps.indexOf('  import'))
  expect(code).toContain('new Posthorn(')
  expect(Math.max(...nextSteps.split('\n').map((line) => line.length))).toBeLessThan(80)

  mkdirSync(join(root, '.test'), { recursive: true })
  const folder = mkdtempSync(join(root, '.test', 'next-steps-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>
  }
  const paths = Object.fromEntries(
    Object.entries(exports).flatMap(([name, target]) =>
      typeof target === 'string'
        ? []
        : [[join('posthorn', name), [built.path(target.types.replace('./dist/', ''))]] as const],
    ),
  )
  writeFileSync(join(folder, 'next.mts'), code)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions: { paths }, include: ['next.mts'] }),
  )
  await promisify(execFile)(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder, '--noEmit'], { cwd: root })
})
