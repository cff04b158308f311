import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import { builtModules } from './built.ts'

const built = builtModules()
let folder = ''
let count = 0
let makeStore: () => Promise<Store>
let endThread: () => Promise<void>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthorn-thread-'))
  const { sqlite } = await built.load('stores/sqlite/index.js')
  const { EngineThread } = await built.load('thread/engine-thread.js')
  const { remoteStore } = await built.load('thread/remote-store.js')

  /** One for all cases: what closes a store leaves it as it is. */
  class KeptThread extends EngineThread {
    override end(): Promise<void> {
      return Promise.resolve()
    }
  }

  const recipe = built.recipe('chosen-store.js', 'chosenStore')
  const listeners = { event: () => undefined, meter: () => undefined, died: fail }
  const thread = new KeptThread({ recipe, options: {}, workerId: 'one', isMetered: false, mostUnheard: 100 }, listeners)
  thread.open()
  makeStore = async () => {
    const path = join(folder, `${(count += 1)}.db`)
    await thread.call('store', 'use', [path])
    return remoteStore(sqlite(path, { synchronous: 'off' }), thread)
  }
  endThread = () => EngineThread.prototype.end.call(thread)
})

afterAll(async () => {
  await endThread()
  await rm(folder, { recursive: true, force: true })
})

describe('a store that is written in the engine thread and read in this one keeps the contract', () => {
  for (const { name, run } of storeSuite) test(name, () => run(makeStore))
})

test('what cannot be sent to another thread is refused to whoever asked for it, and to nobody else', async () => {
  const store = await makeStore()
  await store.open()
  const { directory } = store
  const description = (() => 'computed') as never
  const calls = [
    directory.updateEventType('invoice.paid', { description: 'first' }, 0),
    directory.updateEventType('invoice.paid', { description }, 0),
    directory.updateEventType('invoice.paid', { description: 'last' }, 0),
  ]
  await expect(calls[1]).rejects.toThrow('Expected values that can be sent to another thread')
  expect([await calls[0], await calls[2]]).toEqual([null, null])
  await store.close()
})

function fail(error: Error): never {
  throw error
}
