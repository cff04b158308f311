import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { RecordingDriver, writesOf } from './recording-driver.ts'
import { freshPath } from './sqlite-folder.ts'

const batch = 10
const perDelivery = new Set([
  'insert posthorn_messages',
  'insert webhook_deliveries',
  'update webhook_deliveries',
  'insert posthorn_attempts',
])

/** What ran while a batch of messages was stored, delivered and marked, by the text of each statement. */
async function runsOfBatch(path: string): Promise<Map<string, number>> {
  const runs = new Map<string, number>()
  const clock = manualClock()
  const store = sqlite({ open: () => new RecordingDriver(path, runs), synchronous: 'off', plaintextSecrets: true })
  const posthorn = new Posthorn({ store, clock, transport: scriptedTransport(clock) })
  onTestFinished(() => posthorn.stop({ graceMs: 0 }))
  await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hook' })
  await posthorn.start()
  const send = (): Promise<unknown> => posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await send()
  await posthorn.idle()
  runs.clear()
  await Promise.all(Array.from({ length: batch }, send))
  await posthorn.idle()
  return new Map(runs)
}

// What a delivery costs grows by a statement, an index or a column that somebody adds for another reason. Whoever means it changes
// these figures, and shows with `npm run bench -- --against HEAD~` what it costs.
test('a delivery takes four statements of its own; the others are shared by all that are stored or marked together', async () => {
  const runs = await runsOfBatch(await freshPath())
  const [own, shared] = [new Map<string, number>(), new Set<string>()]
  for (const [text, count] of runs)
    if (perDelivery.has(nameOf(text))) own.set(nameOf(text), count)
    else shared.add(nameOf(text))
  expect([...own]).toEqual([...perDelivery].map((name) => [name, batch]))
  expect(shared).toEqual(
    new Set(['begin immediate', 'select posthorn_applications', 'commit', 'insert posthorn_endpoint_minutes']),
  )
})

test('each statement writes to no more tables and indexes than it did', async () => {
  const path = await freshPath()
  const texts = [...(await runsOfBatch(path)).keys()].filter((text) => /^(insert|update|delete)/.test(text))
  const writes = texts.map((text) => [nameOf(text), writesOf(path, text).length])
  expect(Object.fromEntries(writes)).toEqual({
    'insert posthorn_messages': 4,
    // Five of the indexes are for rows that wait or have failed, and left alone by the others.
    'insert webhook_deliveries': 11,
    'update webhook_deliveries': 16,
    // With the two ways of a conflict.
    'insert posthorn_attempts': 4,
    'insert posthorn_endpoint_minutes': 5,
  })
})

function nameOf(text: string): string {
  const words = /^(?:(insert) into (\w+)|(update) (\w+)|(select) [^]*?\sfrom (\w+))/.exec(text)
  return words === null ? text : words.slice(1).filter(Boolean).join(' ')
}
