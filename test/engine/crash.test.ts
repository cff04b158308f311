import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { receiver } from '../../src/testing/receiver.ts'
import type { Receiver } from '../../src/testing/receiver.ts'
import { builtPackage } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'
import type { Program } from '../cli/program.ts'

const built = builtPackage()
const script = fileURLToPath(new URL('fixtures/engine-process.js', import.meta.url))

interface Scene {
  readonly receiver: Receiver
  /** Starts an engine process on the scene's one file. */
  engine(task: 'send' | 'drain' | 'wait'): Program
}

async function makeScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-crash-'))
  const local = await receiver()
  onTestFinished(async () => {
    await local.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const file = join(folder, 'webhooks.db')
  return { receiver: local, engine: (task) => startProgram(script, [built.path('.'), file, local.url('/hook'), task]) }
}

test.each([
  // While requests are on the wire: the endpoint took the first ten, and then let the rest hang.
  {
    moment: 'while requests hang',
    answers: [...Array<number>(10).fill(200), 'hang' as const],
    requests: 13,
    hung: 3,
    accepted: 60,
  },
  // While everything happens at once: sends are stored, answers come in, marks are written.
  { moment: 'in full flight', answers: 200, requests: 80, hung: 0, accepted: 40 },
])(
  'an engine killed $moment loses nothing, and the next one repeats only what was in flight',
  { timeout: 60_000 },
  async ({ answers, requests, hung, accepted }) => {
    const scene = await makeScene()
    scene.receiver.behave('/hook', answers)
    const killed = scene.engine('send')
    await Promise.all([scene.receiver.waitFor(requests), killed.says(/^accepted /, accepted)])
    killed.child.kill('SIGKILL')
    expect(await killed.ended).toEqual({ code: null, signal: 'SIGKILL' })

    scene.receiver.behave('/hook', 200)
    const next = scene.engine('drain')
    const drained = await next.says(/^drained /)
    expect(await next.ended).toEqual({ code: 0, signal: null })

    const times = new Map<string, number>()
    for (const { id } of scene.receiver.receipts) times.set(id, (times.get(id) ?? 0) + 1)
    const acceptedIds = idsOf(killed, 'accepted')
    expect(acceptedIds.length).toBeGreaterThanOrEqual(accepted)
    expect(acceptedIds.filter((id) => !times.has(id))).toEqual([])
    expect(Number(drained.split(' ')[1])).toBe(times.size)

    // In flight was what had left and was not marked yet: whatever was marked is never sent again.
    const marked = new Set(idsOf(killed, 'delivered'))
    const repeated = [...times].filter(([, count]) => count > 1).map(([id]) => id)
    expect(repeated.filter((id) => marked.has(id))).toEqual([])
    expect(repeated.length).toBeGreaterThanOrEqual(hung)
    expect(Math.max(...times.values())).toBeLessThanOrEqual(2)
  },
)

test('a second live process on the same file is refused by pid and host, until the first one has ended', async () => {
  const scene = await makeScene()
  const first = scene.engine('wait')
  await first.says(/^ready$/)
  const second = scene.engine('wait')
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.lines).toEqual([])
  expect(second.stderr).toContain(`got one in process ${first.pid} on ${hostname()}.`)

  // Only its end makes room, however it ends.
  first.child.kill('SIGKILL')
  await first.ended
  const third = scene.engine('drain')
  await third.says(/^drained 0$/)
  expect(await third.ended).toEqual({ code: 0, signal: null })
})

function idsOf(program: Program, word: 'accepted' | 'delivered'): string[] {
  return program.lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
}
