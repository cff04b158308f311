import type { Delivery } from '../../core/delivery/delivery.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { Page, Scan } from '../../core/ports/directory/page.ts'
import type { DeliveryFilter } from '../../core/ports/queue.ts'

const mostSearched = 1_000
const bodiesPerRead = 25

/** The matching deliveries among the newest thousand whose body contains a text, ignoring case; `searched` is how many were read. */
export async function searchPayloads(
  directory: Directory,
  filter: DeliveryFilter,
  text: string,
  page: Page,
): Promise<Scan<Delivery> & { readonly searched: number }> {
  const { limit, ...from } = page
  const rows = await directory.listDeliveries(filter, { ...from, limit: mostSearched })
  const found: Delivery[] = []
  let searched = 0
  while (searched < rows.length && found.length < limit) {
    const some = rows.slice(searched, searched + bodiesPerRead)
    const holding = await messagesHolding(directory, some, text)
    for (const delivery of some) {
      if (found.length === limit) break
      searched += 1
      if (holding.has(delivery.messageId)) found.push(delivery)
    }
  }
  const isOver = searched === rows.length && rows.length < mostSearched
  return { items: found, searched, next: isOver ? null : (rows[searched - 1]?.id ?? null) }
}

async function messagesHolding(
  directory: Directory,
  deliveries: readonly Delivery[],
  text: string,
): Promise<Set<string>> {
  const messages = await directory.messagesById([...new Set(deliveries.map(({ messageId }) => messageId))])
  return new Set(
    messages
      .filter(({ body }) => Buffer.from(body).toString().toLowerCase().includes(text.toLowerCase()))
      .map(({ id }) => id),
  )
}
