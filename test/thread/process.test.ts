import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { receiver } from '../../src/testing/receiver.ts'
import { builtPackage } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'
import type { Program } from '../cli/program.ts'

const built = builtPackage()

test('an engine thread that dies ends the process, which says why; nothing is lost', { timeout: 60_000 }, async () => {
  const world = await makeWorld()
  const dying = world.start('die')
  expect(await dying.ended).toEqual({ code: 1, signal: null })
  expect(dying.stderr).toContain('The engine thread has ended: the disk is on fire. What was accepted is stored')
  expect(dying.stderr).toContain('Error: the disk is on fire')

  const accepted = said(dying, 'accepted')
  expect(accepted.length).toBeGreaterThan(0)
  const next = world.start('drain')
  expect(await next.ended).toEqual({ code: 0, signal: null })
  const counts = world.received()
  expect(accepted.filter((id) => !counts.has(id))).toEqual([])
  // Once by the thread that died, once by the one that took over.
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(2)
})

test('a process that is ended while its engine thread is inside of the driver waits until it is outside', async () => {
  const world = await makeWorld()
  const program = world.start('exit')
  await program.says(/^inside$/)
  program.child.kill('SIGTERM')
  await program.says(/^exiting$/)
  world.go()
  expect(await program.ended).toEqual({ code: 3, signal: null })
  expect(program.lines.slice(-2)).toEqual(['exiting', 'outside'])
  expect(program.stderr).toBe('')
})

test('whoever reads does not wait for an engine thread that is inside of the driver', async () => {
  const world = await makeWorld()
  const program = world.start('read')
  await program.says(/^inside$/)
  program.child.kill('SIGUSR2')
  expect(await program.says(/^read /)).toBe('read 1')
  expect(program.lines).not.toContain('outside')
  world.go()
  await program.says(/^outside$/)
  program.child.kill('SIGTERM')
  expect(await program.ended).toEqual({ code: 0, signal: null })
})

test('a delivery does not wait for a main thread that stands still', async () => {
  const world = await makeWorld()
  const program = world.start('block')
  await program.says(/^blocked$/)
  await world.receiver.waitFor(1)
  expect(program.lines).not.toContain('unblocked')
  program.child.stdin.write('\n')
  expect(await program.ended).toEqual({ code: 0, signal: null })
})

test('a stop under load ends the thread, and leaves nothing that keeps the process', { timeout: 60_000 }, async () => {
  const world = await makeWorld()
  const program = world.start('stop')
  expect(await program.ended).toEqual({ code: 0, signal: null })
  expect(program.lines.at(-1)).toBe('stopped')
  const accepted = said(program, 'accepted')
  expect(await world.start('drain').ended).toEqual({ code: 0, signal: null })
  expect(accepted.filter((id) => !world.received().has(id))).toEqual([])
})

test('a process that only sends ends by itself once all is stored', { timeout: 60_000 }, async () => {
  const world = await makeWorld()
  const program = world.start('send')
  expect(await program.ended).toEqual({ code: 0, signal: null })
  expect(said(program, 'accepted')).toHaveLength(10)
  const next = world.start('drain')
  await next.ended
  expect(next.lines).toContain('drained 10')
})

function said({ lines }: Program, word: string): string[] {
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
}

async function makeWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-thread-'))
  const local = await receiver()
  onTestFinished(async () => {
    await local.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const script = fileURLToPath(new URL('fixtures/thread-process.js', import.meta.url))
  const file = join(folder, 'posthorn.db')
  return {
    receiver: local,
    /** Lets a thread that is inside of the driver leave it. */
    go: (): void => writeFileSync(`${file}.go`, ''),
    start: (task: string): Program => startProgram(script, [built.path('.'), file, local.url('/hook'), task]),
    /** How often each message has come. */
    received(): Map<string, number> {
      const counts = new Map<string, number>()
      for (const { headers } of local.receipts) {
        const id = String(headers['webhook-id'])
        counts.set(id, (counts.get(id) ?? 0) + 1)
      }
      return counts
    },
  }
}
