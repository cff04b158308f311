import type { Status } from '../../core/delivery/delivery.ts'
import type { Directory } from '../../core/ports/directory.ts'

/** How all deliveries stand in the store, beside how many messages were accepted. */
export interface Totals {
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

/** While some may still end, they are open. */
export function openLine({ sent, delivered, dead, open }: Totals): string {
  return `sent ${sent} delivered ${delivered} dead ${dead} open ${open}`
}

/** When all should have ended, whatever has not is lost. */
export function endLine(totals: Totals): string {
  return `sent ${totals.sent} delivered ${totals.delivered} dead ${totals.dead} lost ${lost(totals)}`
}

export function lost({ sent, delivered, dead }: Totals): number {
  return sent - delivered - dead
}
