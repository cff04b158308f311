import type { Lane } from '../core/delivery.ts'
import { makeBulk } from './bulk.ts'
import type { Bulk } from './bulk.ts'
import { makeDispatcher } from './dispatcher.ts'
import { makeFlight } from './flight.ts'
import { makeOutbox } from './outbox.ts'
import type { Outbox } from './outbox.ts'
import type { EngineParts } from './parts.ts'
import { makeProber } from './prober.ts'
import { makePruner } from './pruner.ts'
import { makeRoom } from './room.ts'
import { makeTargets } from './targets.ts'
import type { Target } from './targets.ts'
import { makeTxSend } from './tx-send.ts'
import type { TxSend } from './tx-send.ts'

/** The crank: what `Posthorn` turns. It owns no rule; core decides, the store remembers, the transport knocks. */
export interface Engine extends Outbox, Pick<TxSend, 'sendWithin'> {
  start(): void
  /** Claims nothing more, finishes what is on the wire within the grace, gives the rest back, and leaves no timer. */
  stop(graceMs: number): Promise<void>
  /** Says that an endpoint has due rows, so that they need not wait for the tick. */
  expect(endpointId: string, lane: Lane): Promise<void>
  /** Reads an endpoint anew at once, because it was just changed here. */
  endpointChanged(endpointId: string): Promise<void>
  /** Says that there may be bulk work to do. */
  readonly wakeBulk: Bulk['wake']
  /** Resolves when nothing is under way in this process. */
  idle(): Promise<void>
}

export function makeEngine(parts: EngineParts): Engine {
  const { clock, transport } = parts
  const waiters: (() => void)[] = []
  const targets = makeTargets(parts)
  const room = makeRoom(parts.settings.maxLeased)
  const flight = makeFlight(parts, targets, room, { freed })
  const dispatcher = makeDispatcher(parts, targets, room, flight, quiet)
  const outbox = makeOutbox(parts, targets, dispatcher, flight, quiet)
  const txSend = makeTxSend(parts, (endpointId) => expect(endpointId, 'fresh'))
  const prober = makeProber(parts, dispatcher, quiet)
  const bulk = makeBulk(parts, expect, quiet)
  const pruner = makePruner(parts)

  function freed(target: Target): void {
    dispatcher.freed(target)
    quiet()
  }

  async function expect(endpointId: string, lane: Lane): Promise<void> {
    await targets.refresh([endpointId])
    const target = targets.get(endpointId)
    if (target !== undefined) dispatcher.expect(target, lane)
  }

  function isQuiet(): boolean {
    return flight.size === 0 && outbox.waiting === 0 && !dispatcher.isBusy && !prober.isBusy && !bulk.isBusy
  }

  function quiet(): void {
    if (isQuiet()) for (const resolve of waiters.splice(0)) resolve()
  }

  async function idle(): Promise<void> {
    while (!isQuiet()) await new Promise<void>((resolve) => waiters.push(resolve))
  }

  async function idleWithin(ms: number): Promise<void> {
    if (ms === 0) return
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve)
      void idle().then(cancel).then(resolve)
    })
  }

  return {
    send: outbox.send,
    sendWithin: txSend.sendWithin,
    applicationId: outbox.applicationId,
    get waiting() {
      return outbox.waiting
    },
    start() {
      dispatcher.start()
      txSend.start()
      prober.start()
      bulk.start()
      pruner.start()
    },
    async stop(graceMs) {
      txSend.stop()
      await Promise.all([dispatcher.stop(), prober.stop(), bulk.stop(), pruner.stop()])
      await flight.giveBackWaiting()
      await idleWithin(graceMs)
      if (!isQuiet()) {
        flight.abandon()
        await transport.close()
        await idle()
      }
      await transport.close()
    },
    async endpointChanged(endpointId) {
      targets.forgetAge(endpointId)
      await targets.refresh([endpointId])
      const target = targets.get(endpointId)
      // It may have been resumed: what it has collected need not wait for the tick.
      if (target !== undefined && !targets.isClosed(target)) dispatcher.expect(target, 'fresh')
    },
    wakeBulk: bulk.wake,
    expect,
    idle,
  }
}
