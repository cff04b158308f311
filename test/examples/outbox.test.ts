import { describe, expect, onTestFinished, test } from 'vitest'
import { main as drizzle } from '../../examples/outbox-drizzle.ts'
import { main as kysely } from '../../examples/outbox-kysely.ts'
import { main as pg } from '../../examples/outbox-pg.ts'
import { main as sqlite } from '../../examples/outbox-sqlite.ts'
import { freshSchema, isFast } from '../postgres.ts'

test('examples/outbox-sqlite.ts commits one invoice with its webhook, and sends nothing for the one that is rolled back', async () => {
  expect(await sqlite()).toEqual({ invoices: 1, webhooks: [{ id: 7 }] })
})

describe.skipIf(isFast)('the outbox', () => {
  test.each([
    ['pg', pg],
    ['drizzle', drizzle],
    ['kysely', kysely],
  ])(
    'examples/outbox-%s.ts commits one invoice with its webhook, and sends nothing for the one that is rolled back',
    async (_name, main) => {
      const { url, schema, query, drop } = freshSchema()
      onTestFinished(drop)
      expect(await main(url, schema)).toEqual({ invoices: 1, webhooks: [{ id: 7 }] })
      expect(await query('select status, attempt_count from webhook_deliveries')).toEqual([
        { status: 'delivered', attempt_count: 1 },
      ])
      expect(await query('select id from messages')).toHaveLength(1)
    },
  )
})
