import { beforeAll, expect, test } from 'vitest'
import { receiver } from 'posthorn/testing'
import type { Receiver } from 'posthorn/testing'
import type { Server } from './server.ts'
import { useStage } from './stage.ts'

const stage = useStage()
let server: Server
let local: Receiver

beforeAll(async () => {
  local = await receiver()
  server = await stage.serve()
  return () => local.close()
}, 60_000)

test(
  'a replay asks with the exact number of deliveries it will make, and reports those it made',
  { timeout: 60_000 },
  async () => {
    await server.call('POST', 'app', { name: 'Acme', uid: 'acme' })
    const { id } = await server.call<{ id: string }>('POST', 'app/acme/endpoint', {
      url: local.url('/late'),
      filterTypes: ['invoice.paid'],
    })
    await server.call('POST', `app/acme/endpoint/${id}/disable`, {})
    const types = ['invoice.paid', 'invoice.paid', 'invoice.paid', 'invoice.voided', 'order.created']
    for (const eventType of types) await server.call('POST', 'app/acme/msg', { eventType, payload: {} })
    await server.call('POST', `app/acme/endpoint/${id}/enable`, {})

    const { page, complaints, go, close } = await stage.open(server, { path: `endpoints/${id}?tab=deliveries` })
    const askToReplay = async (): Promise<void> => {
      await page.getByLabel('Since').fill('2026-01-01T00:00')
      await page.getByRole('button', { name: 'Replay …' }).click()
    }
    const question = page.getByRole('dialog', { name: 'Replay 3 deliveries?' })
    await askToReplay()
    await question.getByText('never got 3 messages').waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    // Nothing was started by the question.
    expect(await server.call('GET', 'job')).toMatchObject({ data: [] })

    await askToReplay()
    await question.getByRole('button', { name: 'Replay 3 deliveries' }).click()
    await page.getByText('Finished: 3 of 3 deliveries created.').waitFor()
    expect(await local.waitFor(3, '/late')).toHaveLength(3)

    await go(`endpoints/${id}?tab=deliveries`)
    await askToReplay()
    await page.getByText('Nothing is missing: this endpoint got every message of that time it wants.').waitFor()
    expect(await server.call('GET', 'job')).toMatchObject({ data: [{ matching: 3, done: 3, skipped: 0 }] })
    expect(complaints).toEqual([])
    await close()
  },
)
