import type { Lane } from '../core/delivery.ts'
import type { PosthornError } from '../core/errors.ts'
import type { Worker } from '../core/ports.ts'
import { makeBulk } from './bulk.ts'
import type { Bulk } from './bulk.ts'
import { makeDispatcher } from './dispatcher.ts'
import { makeFlight } from './flight.ts'
import { makeListener } from './listener.ts'
import { makeOutbox } from './outbox.ts'
import type { Outbox } from './outbox.ts'
import type { EngineParts } from './parts.ts'
import { makePresence } from './presence.ts'
import { makeProber } from './prober.ts'
import { makePruner } from './pruner.ts'
import { makeRoom } from './room.ts'
import { makeTargets } from './targets.ts'
import type { Target } from './targets.ts'
import { makeTxSend } from './tx-send.ts'
import type { TxSend } from './tx-send.ts'

/** The crank: what `Posthorn` turns. It owns no rule; core decides, the store remembers, the transport knocks. */
export interface Engine extends Outbox, Pick<TxSend, 'sendWithin' | 'sendWithinSync'> {
  /** Resolves once the others are counted and the first cycle has begun. */
  start(worker: Worker): Promise<void>
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
  const { clock, transport, bus, settings } = parts
  const waiters: (() => void)[] = []
  const targets = makeTargets(parts)
  const room = makeRoom(settings.maxLeased, settings.pace.pool)
  const flight = makeFlight(parts, targets, room, { freed })
  const dispatcher = makeDispatcher(parts, targets, room, flight, quiet)
  const outbox = makeOutbox(parts, targets, dispatcher, flight, quiet)
  const txSend = makeTxSend(parts, (endpointId) => expect(endpointId, 'fresh'))
  const prober = makeProber(parts, dispatcher, quiet)
  const listener = makeListener(parts, prober.look)
  const bulk = makeBulk(parts, expect, quiet)
  const pruner = makePruner(parts)
  const presence = makePresence(parts, { counted: room.shareAmong, outdated })
  let stopped = false

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

  async function stopClaiming(): Promise<void> {
    stopped = true
    txSend.stop()
    await Promise.all([dispatcher.stop(), prober.stop(), listener.stop(), bulk.stop(), pruner.stop()])
    await flight.giveBackWaiting()
  }

  /** What is under way is finished; whoever runs the later release does the rest. */
  async function outdated({ message }: PosthornError): Promise<void> {
    bus.warn('newer_database', `This worker claims nothing more: ${message}`)
    await stopClaiming()
  }

  return {
    send: outbox.send,
    sendWithin: txSend.sendWithin,
    sendWithinSync: txSend.sendWithinSync,
    applicationId: outbox.applicationId,
    get waiting() {
      return outbox.waiting
    },
    async start(worker) {
      await presence.start(worker)
      // It may have been stopped in the meantime.
      if (stopped) return
      dispatcher.start()
      txSend.start()
      prober.start()
      listener.start()
      bulk.start()
      pruner.start()
    },
    async stop(graceMs) {
      await stopClaiming()
      await idleWithin(graceMs)
      if (!isQuiet()) {
        flight.abandon()
        await transport.close()
        await idle()
      }
      // Only now: as long as requests are open, the others must count with us.
      await presence.stop()
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
