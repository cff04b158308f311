import { testPosthorn } from 'posthorn/testing'
import { expect, onTestFinished, test } from 'vitest'

async function started(): Promise<Awaited<ReturnType<typeof testPosthorn>>> {
  const world = await testPosthorn()
  onTestFinished(() => world.posthorn.stop())
  return world
}

const url = 'https://acme.example/hooks'

test('what is sent can be looked at, and nothing leaves the process', async () => {
  const { posthorn, sent } = await started()
  await posthorn.endpoints.create({ application: 'acme', url })
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })
  await posthorn.idle()
  expect(sent()).toHaveLength(1)
  expect(sent()[0]).toMatchObject({ url })
  expect(JSON.parse(sent()[0]!.body)).toMatchObject({ type: 'invoice.paid', data: { id: 7 } })
})

test('settled moves time through every retry until the delivery is dead', async () => {
  const { posthorn, transport, sent, settled, clock } = await started()
  await posthorn.endpoints.create({ application: 'acme', url })
  transport.answer(url, 500)
  const before = clock.now()
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })
  await settled()
  expect(sent()).toHaveLength(6)
  expect(await posthorn.deliveries.list()).toMatchObject([{ status: 'dead', reason: 'exhausted', attemptCount: 6 }])
  expect((clock.now() - before) / 60_000).toBeGreaterThan(31 * 0.8)
  expect((clock.now() - before) / 60_000).toBeLessThan(31 * 1.2 + 1)
})

test('settled says so when something can never end', async () => {
  const { posthorn, settled } = await started()
  const { id } = await posthorn.endpoints.create({ application: 'acme', url })
  await posthorn.endpoints.pause(id)
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })
  await expect(settled()).rejects.toThrow(/paused/)
})
