import type { Status } from '../../core/delivery/delivery.ts'
import type { Directory } from '../../core/ports/directory.ts'

/** The statuses of all deliveries in the store, next to the number of accepted messages. */
interface Totals {
  readonly sent: number
  readonly delivered: number
  readonly dead: number
  readonly open: number
}

const mostCounted = 100_000

export async function readTotals(directory: Pick<Directory, 'countDeliveries'>, sent: number): Promise<Totals> {
  const count = (...status: Status[]): Promise<number> => directory.countDeliveries({ status }, mostCounted)
  return {
    sent,
    delivered: await count('delivered'),
    dead: await count('dead'),
    open: await count('pending', 'failed'),
  }
}

/** Open as long as it may still end. */
export function openLine({ sent, delivered, dead, open }: Totals): string {
  return `sent ${sent} delivered ${delivered} dead ${dead} open ${open}`
}

/** Whatever has not ended when everything should have is lost. */
export function endLine(totals: Totals): string {
  return `sent ${totals.sent} delivered ${totals.delivered} dead ${totals.dead} lost ${lost(totals)}`
}

export function lost({ sent, delivered, dead }: Totals): number {
  return sent - delivered - dead
}
