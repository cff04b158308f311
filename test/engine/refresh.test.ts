import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { makeGate } from './gate.ts'
import { watch } from './watched-store.ts'

const applications = Array.from({ length: 50 }, (_, index) => `app-${index}`)

async function startedWorld() {
  const clock = manualClock()
  const store = watch(memoryStore())
  const posthorn = new Posthorn({ store, clock, transport: scriptedTransport(clock), endpointsPerApplication: 1_001 })
  onTestFinished(() => posthorn.stop({ graceMs: 0 }))
  for (const application of applications)
    await posthorn.endpoints.create({ application, url: `https://${application}.example/hook` })
  await posthorn.start()
  await sendToAll(posthorn)
  await posthorn.idle()
  // Longer than a health may be used.
  await clock.advance(1_000)
  const reads = () =>
    store.calls.filter(({ method }) => method === 'health').map(({ request: [ids] }) => ids as string[])
  return { posthorn, store, reads, before: reads().length }
}

function sendToAll(posthorn: Posthorn): Promise<unknown> {
  return Promise.all(applications.map((application) => posthorn.send({ application, type: 'invoice.paid', data: {} })))
}

test('endpoints that are needed at the same time are read together, each once', async () => {
  const { posthorn, reads, before } = await startedWorld()
  await sendToAll(posthorn)
  await posthorn.idle()
  const made = reads().slice(before)
  expect(made.length).toBeLessThan(5)
  expect(made.flat()).toHaveLength(applications.length)
  expect(new Set(made.flat()).size).toBe(applications.length)
})

test('what is needed during a read goes into the next; whoever needs the same endpoint shares the read', async () => {
  const { posthorn, store, reads, before } = await startedWorld()
  const gate = makeGate()
  const begun = new Promise<void>((resolve) => {
    store.bend = async ({ method }, run) => {
      if (method !== 'health' || reads().length > before + 1) return run()
      resolve()
      await gate.opened
      return run()
    }
  })
  const send = (application: string) => posthorn.send({ application, type: 'invoice.paid', data: {} })
  const sent = [send('app-0')]
  await begun
  sent.push(send('app-0'), send('app-1'), send('app-1'), send('app-2'))
  gate.open()
  await Promise.all(sent)
  expect(reads().slice(before)).toEqual([[expect.any(String)], [expect.any(String), expect.any(String)]])
})

test('a message to more endpoints than one statement takes is read in pieces', async () => {
  const { posthorn, reads, before } = await startedWorld()
  for (let index = 0; index < 1_001; index += 1)
    await posthorn.endpoints.create({ application: 'large', url: `https://large.example/${index}` })
  expect(await posthorn.send({ application: 'large', type: 'invoice.paid', data: {} })).toMatchObject({
    deliveries: 1_001,
  })
  expect(
    reads()
      .slice(before)
      .map((ids) => ids.length),
  ).toEqual([1_000, 1])
})

test('a read that fails is an error of those who needed it, and the next one goes on', async () => {
  const { posthorn, store } = await startedWorld()
  let isAway = true
  store.bend = ({ method }, run) => (method === 'health' && isAway ? Promise.reject(new Error('away')) : run())
  const failed = await Promise.allSettled(
    ['app-0', 'app-1'].map((application) => posthorn.send({ application, type: 'invoice.paid', data: {} })),
  )
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isAway = false
  expect(await posthorn.send({ application: 'app-0', type: 'invoice.paid', data: {} })).toMatchObject({ deliveries: 1 })
})
