import { expect, test } from 'vitest'
import { databases } from '../acceptance/databases.ts'
import { makeWorld } from '../acceptance/world.ts'

for (const database of databases) {
  test(`a message that is sent arrives, signed, and its row says delivered (${database.name})`, async () => {
    const world = await makeWorld(database)
    await world.start()
    const sent = await world.posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })
    await world.posthorn.idle()
    expect(sent.deliveries).toBe(1)
    expect(world.receiver.receipts).toHaveLength(1)
    expect(await world.rows()).toMatchObject([{ status: 'delivered', attempt_count: 1 }])
    expect(world.events.map(({ type }) => type)).toEqual(['message.enqueued', 'delivery.delivered'])
  })

  test(`a row that fails is retried on the tick (${database.name})`, async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    world.receiver.behave('/hook', [500, 200])
    const id = await world.insert()
    await world.start()
    expect(await world.row(id)).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      next_retry_at: world.clock.now() + 30_000,
    })
    await world.poll(30_000)
    await world.poll()
    expect(await world.row(id)).toMatchObject({ status: 'delivered', attempt_count: 2 })
  })
}
