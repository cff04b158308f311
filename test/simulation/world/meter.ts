import type { Meter } from '../../../src/core/ports/meter.ts'
import type { History } from './history.ts'

/** Notes what a worker counts. It samples nothing: that would be calls of the store that no worker makes for its own sake. */
export function simulatedMeter(history: History, process: string): Meter {
  return {
    nowMs: () => 0,
    attach: () => undefined,
    opened: () => undefined,
    stopped: async () => undefined,
    messageAccepted: () => undefined,
    messagesRefused: () => undefined,
    claimed: () => undefined,
    marked({ delivery }, { mark, attempt }, marked) {
      if (attempt === null) return
      const { epoch, outcome } = attempt
      const isDelivered = marked !== 'lost' && mark.status === 'delivered'
      history.counted.push({ process, deliveryId: delivery.id, epoch, outcome, isDelivered })
    },
    interrupted: () => undefined,
    leasesRenewed: () => undefined,
    storeCalled: () => undefined,
    storeFailed: () => undefined,
    committed: () => undefined,
  }
}
