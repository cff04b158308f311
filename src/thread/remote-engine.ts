import type { OperationalMessage } from '../core/alarms/operational.ts'
import type { Lane } from '../core/delivery/delivery.ts'
import type { StoreTransaction, SyncStoreTransaction } from '../core/ports/ports.ts'
import type { Worker } from '../core/ports/worker.ts'
import { Activity } from '../engine/activity.ts'
import type { EngineCalls } from '../engine/engine.ts'
import type { Outgoing, Sent } from '../engine/send/envelope.ts'
import { TxOutbox } from '../engine/send/outbox-tx.ts'
import { WaitingSends } from '../engine/send/waiting-sends.ts'
import type { ThreadParts } from '../wiring.ts'
import type { EngineThread } from './engine-thread.ts'

/** The engine of the other thread. Only sends in a caller's transaction are done in this one. */
export class RemoteEngine implements EngineCalls {
  readonly #thread: EngineThread
  readonly #activity = new Activity()
  readonly #waiting: WaitingSends
  readonly #txOutbox: TxOutbox

  constructor(parts: ThreadParts, thread: EngineThread) {
    this.#thread = thread
    // Here, too: the queue for a slow or stuck thread is bounded, and its entries expire.
    this.#waiting = new WaitingSends(parts.clock, this.#activity)
    this.#txOutbox = new TxOutbox(parts, (endpointId) => this.expect(endpointId, 'fresh'))
  }

  async start(worker: Worker): Promise<void> {
    this.#thread.hold(true)
    this.#txOutbox.start()
    await this.#thread.call('engine', 'start', [worker])
  }

  async stop(graceMs: number): Promise<void> {
    this.#txOutbox.stop()
    if (this.#thread.isOpen) await this.#thread.call('engine', 'stop', [graceMs])
    this.#thread.hold(false)
  }

  send(outgoing: Outgoing): Promise<Sent> {
    return this.#waiting.wait(outgoing.message.body.length, (deadline) => {
      // Once it has been sent, nobody here knows whether it is stored.
      deadline.mayBegin()
      return this.#thread.send(outgoing)
    })
  }

  sendWithin(transaction: StoreTransaction, batch: readonly Outgoing[]): Promise<Sent[]> {
    return this.#txOutbox.send(transaction, batch)
  }

  sendWithinSync(transaction: SyncStoreTransaction, batch: readonly Outgoing[]): Sent[] {
    return this.#txOutbox.sendSync(transaction, batch)
  }

  async applicationId(idOrUid: string): Promise<string> {
    return (await this.#thread.call('engine', 'applicationId', [idOrUid])) as string
  }

  async expect(endpointId: string, lane: Lane): Promise<void> {
    await this.#thread.call('engine', 'expect', [endpointId, lane])
  }

  async endpointChanged(endpointId: string): Promise<void> {
    await this.#thread.call('engine', 'endpointChanged', [endpointId])
  }

  async sendOperational(message: OperationalMessage): Promise<number> {
    return (await this.#thread.call('engine', 'sendOperational', [message])) as number
  }

  wakeBulk(): void {
    this.#thread.tell('engine', 'wakeBulk')
  }

  get inFlight(): number {
    return this.#thread.inFlight
  }

  get openRequests(): number {
    return this.#thread.openRequests
  }

  async idle(): Promise<void> {
    await this.#activity.idle()
    if (this.#thread.isOpen) await this.#thread.call('engine', 'idle')
  }
}
