import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import type { Store } from '../core/ports/ports.ts'
import { wiredHere } from '../wiring.ts'
import type { Wired } from '../wiring.ts'
import { recordingMeter } from './recorded-meter.ts'
import { Bodies, errorResponse, sentResponse, shared } from './wire.ts'
import type { Request, Requests, Response, Target, ThreadData, Wanted } from './wire.ts'

/** Runs in the engine thread: a store and an engine, called from the other one. Answers of one turn of the event loop travel in one message. */
class Guest {
  readonly #port: MessagePort
  readonly #numbers: Int32Array
  readonly #mostUnheard: number
  readonly #wired: Wired
  readonly #targets: Readonly<Record<Target, object>>
  readonly #unwanted = new Map<Wanted, () => void>()
  #responses: Response[] = []
  #posted = 0
  #dropped = 0

  constructor(port: MessagePort, data: ThreadData, store: Store) {
    const { options, workerId, isMetered, wanted } = data
    this.#port = port
    this.#numbers = data.shared
    this.#mostUnheard = data.mostUnheard
    const meter = isMetered ? recordingMeter((call) => this.#mention(['meter', call])) : null
    this.#wired = wiredHere({ ...options, store, meter }, workerId)
    const { engine, store: metered } = this.#wired
    const { queue, directory } = metered
    const opened = { ...metered, open: () => this.#open() }
    this.#targets = { engine, store: opened, queue, directory }
    for (const type of wanted) this.#want(type, true)
  }

  receive({ frames, bodies }: Requests): void {
    const messages = new Bodies(bodies)
    for (const frame of frames) this.#do(frame, messages)
  }

  #do(frame: Request, messages: Bodies): void {
    switch (frame[0]) {
      case 'send': {
        const [, id, message] = frame
        this.#wired.engine.send(messages.outgoing(message)).then(
          (sent) => this.#say(sentResponse(id, sent)),
          (error: unknown) => this.#say(errorResponse(id, error)),
        )
        return
      }
      case 'call': {
        const [, id, target, name, given] = frame
        this.#call(target, name, given).then(
          (answer) => this.#say(['answer', id, answer]),
          (error: unknown) => this.#say(errorResponse(id, error)),
        )
        return
      }
      case 'tell':
        return void this.#call(frame[1], frame[2], [])
      case 'want':
        return this.#want(frame[1], frame[2])
      case 'park':
        return this.#park(frame[1])
    }
  }

  async #call(target: Target, name: string, given: readonly unknown[]): Promise<unknown> {
    const owner = this.#targets[target]
    const call = Reflect.get(owner, name) as (...given: readonly unknown[]) => unknown
    return Reflect.apply(call, owner, given)
  }

  async #open(): Promise<readonly string[]> {
    const notes = await this.#wired.store.open()
    await this.#wired.followed?.measure()
    return notes
  }

  #want(type: Wanted, isWanted: boolean): void {
    this.#unwanted.get(type)?.()
    this.#unwanted.delete(type)
    if (!isWanted) return
    const stop = this.#wired.bus.on(type, (event) => {
      // Sent once, however many listen for it.
      if (type === '*' || !this.#unwanted.has('*')) this.#mention(['event', event])
    })
    this.#unwanted.set(type, stop)
  }

  #say(response: Response): void {
    if (this.#responses.push(response) === 1) setImmediate(() => this.#flush())
  }

  /** Messages that nobody waits for are dropped while the other thread is too busy to receive them: they must not fill the memory, nor delay a delivery. */
  #mention(response: Response): void {
    const unheard = this.#responses.length + ((this.#posted - Atomics.load(this.#numbers, shared.received)) | 0)
    if (unheard >= this.#mostUnheard) {
      this.#dropped += 1
      return
    }
    const dropped = this.#dropped
    this.#dropped = 0
    if (dropped > 0) this.#wired.bus.warn('events_dropped', tooBusy(dropped))
    this.#say(response)
  }

  #flush(): void {
    const responses = this.#responses
    this.#responses = []
    this.#posted = (this.#posted + responses.length) | 0
    const { engine } = this.#wired
    Atomics.store(this.#numbers, shared.inFlight, engine.inFlight)
    Atomics.store(this.#numbers, shared.openRequests, engine.openRequests)
    this.#port.postMessage(responses)
  }

  /** Stops for good, outside of the driver: ending a thread inside it aborts the process. */
  #park(id: number | null): void {
    if (id !== null) this.#responses.push(['answer', id, undefined])
    this.#flush()
    Atomics.store(this.#numbers, shared.isParked, 1)
    Atomics.notify(this.#numbers, shared.isParked)
    Atomics.wait(this.#numbers, shared.isParked, 1)
  }
}

function tooBusy(count: number): string {
  return `${count} events or counts were dropped, because the main thread was too busy to receive them. Deliveries continued; metrics are too low by as many.`
}

async function storeOf({ recipe: { module, name, given } }: ThreadData): Promise<Store> {
  const made = (await import(module)) as Readonly<Record<string, (...given: readonly unknown[]) => Store>>
  const make = made[name]
  if (make === undefined) throw new Error(`Expected ${module} to export ${name}.`)
  return make(...given)
}

if (parentPort !== null) {
  const port = parentPort
  const data = workerData as ThreadData
  const guest = new Guest(port, data, await storeOf(data))
  port.on('message', (requests: Requests) => guest.receive(requests))
}
