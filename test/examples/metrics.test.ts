import { expect, test } from 'vitest'
import { main } from '../../examples/metrics.ts'

test('examples/metrics.ts shows its own metrics and those of Posthorn at one path', async () => {
  const text = await main()
  expect(text).toContain('\nshop_invoices_total 3\n')
  expect(text).toContain('\nposthorn_messages_accepted_total{way="send"} 3\n')
  expect(text).toContain('\nposthorn_deliveries_delivered_total 3\n')
})
