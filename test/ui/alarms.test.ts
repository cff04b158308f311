import { expect, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { manualClock, scriptedTransport } from 'posthorn/testing'
import { useStage } from './stage.ts'

const stage = useStage()
const round = 15_000

test(
  'what is raised stands on the overview, with a link; a customer sees when its endpoint will be disabled',
  { timeout: 60_000 },
  async () => {
    const clock = manualClock(Date.now())
    const transport = scriptedTransport(clock)
    const posthorn = new Posthorn({
      store: sqlite(stage.file('alarms.db')),
      clock,
      transport,
      maxRetries: 0,
      breaker: false,
    })
    await posthorn.start()
    const { id } = await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks' })
    transport.answer(() => true, 500)
    for (let sent = 0; sent < 20; sent += 1) await posthorn.send({ application: 'acme', type: 'order.paid', data: {} })
    await clock.advance(2 * round)
    const { token } = await posthorn.keys.create({ name: 'acme', application: 'acme' })
    await posthorn.stop()

    // Kept over the restart.
    const server = await stage.serve({ database: stage.file('alarms.db') })
    const { page, complaints, close } = await stage.open(server)
    const rows = page.getByRole('table', { name: 'Alarms that are raised now, pages first' }).locator('tbody tr')
    await rows.first().waitFor()
    expect(await rows.first().innerText()).toMatch(/page\s+100 % of the deliveries that ended in the last 5 minutes/)
    expect(await rows.last().innerText()).toMatch(/warning\s+\d+ dead letters in the last 5 minutes/)
    await rows.last().getByRole('link').click()
    await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor()
    await close()

    const portal = await stage.open(server, { key: token, path: `portal/endpoints/${id}` })
    await portal.page.getByText(/It will be disabled on .*, unless a delivery succeeds before then/).waitFor()
    await portal.go('portal')
    expect(await portal.page.getByText('Alarms').count()).toBe(0)
    expect([...complaints, ...portal.complaints]).toEqual([])
    await portal.close()
  },
)
