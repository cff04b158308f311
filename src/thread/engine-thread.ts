import { Worker } from 'node:worker_threads'
import { messageOf, PosthornError } from '../core/errors.ts'
import type { PosthornEvent } from '../core/ports/events.ts'
import type { Outgoing, Sent } from '../engine/send/envelope.ts'
import { stopBeforeExit } from './exit.ts'
import type { MeterCall } from './recorded-meter.ts'
import { errorFrom, shared, toWire } from './wire.ts'
import type { Request, Requests, Response, Target, ThreadData, Wanted } from './wire.ts'

/** What the engine thread reports on its own. */
interface Listeners {
  event(event: PosthornEvent): void
  meter(call: MeterCall): void
  /** It has ended without being asked to. */
  died(error: PosthornError): void
}

interface Waiting {
  resolve(answer: unknown): void
  reject(error: unknown): void
}

// The file that runs in the thread: next to this one, in the same language.
const guest = new URL(`./guest${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/** The engine thread, as seen from the thread that started it. Calls made in one turn of the event loop travel in one message. */
export class EngineThread {
  readonly #data: Omit<ThreadData, 'wanted' | 'shared'>
  readonly #listeners: Listeners
  readonly #wanted = new Set<Wanted>()
  readonly #waiting = new Map<number, Waiting>()
  readonly #numbers = new Int32Array(new SharedArrayBuffer(shared.length * Int32Array.BYTES_PER_ELEMENT))
  #worker: Worker | null = null
  #frames: Request[] = []
  #bodies: Uint8Array[] = []
  #lastId = 0
  #isHeld = false
  #isEnding = false
  #death: PosthornError | null = null

  constructor(data: Omit<ThreadData, 'wanted' | 'shared'>, listeners: Listeners) {
    this.#data = data
    this.#listeners = listeners
  }

  get isOpen(): boolean {
    return this.#worker !== null
  }

  /** Deliveries under a lease there, and their open requests, as of its last turn of the event loop. */
  get inFlight(): number {
    return Atomics.load(this.#numbers, shared.inFlight)
  }

  get openRequests(): number {
    return Atomics.load(this.#numbers, shared.openRequests)
  }

  /** Starts the thread, unless it is running. */
  open(): void {
    if (this.#death !== null) throw this.#death
    if (this.#worker !== null) return
    this.#numbers.fill(0)
    this.#isEnding = false
    const workerData: ThreadData = { ...this.#data, wanted: [...this.#wanted], shared: this.#numbers }
    const worker = new Worker(guest, { workerData, name: 'posthorn engine' })
    const forget = stopBeforeExit(() => this.#park())
    let reason: unknown = null
    worker.on('message', (responses: readonly Response[]) => this.#receive(responses))
    worker.on('error', (error: unknown) => (reason = error))
    worker.on('exit', (code) => {
      forget()
      this.#worker = null
      this.#ended(reason === null ? `it ended with code ${code}` : messageOf(reason), reason)
    })
    this.#worker = worker
    this.#keepAlive()
  }

  /** While it is held, the process does not exit by itself. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    this.#keepAlive()
  }

  send(outgoing: Outgoing): Promise<Sent> {
    return this.#ask((id) => ['send', id, toWire(outgoing, this.#bodies)]) as Promise<Sent>
  }

  call(target: Target, name: string, given: readonly unknown[] = []): Promise<unknown> {
    return this.#ask((id) => ['call', id, target, name, given])
  }

  tell(target: Target, name: string): void {
    if (this.#worker !== null) this.#say(['tell', target, name])
  }

  want(type: Wanted, isWanted: boolean): void {
    if (isWanted === this.#wanted.has(type)) return
    if (isWanted) this.#wanted.add(type)
    else this.#wanted.delete(type)
    if (this.#worker !== null) this.#say(['want', type, isWanted])
  }

  /** Ends the thread once it is outside of the driver; pending calls reject with an unknown outcome. */
  async end(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    this.#isEnding = true
    await this.#ask((id) => ['park', id])
    await worker.terminate()
  }

  #ask(frameOf: (id: number) => Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#worker === null) throw this.#death ?? notOpen()
      const id = (this.#lastId += 1)
      this.#waiting.set(id, { resolve, reject })
      if (this.#waiting.size === 1) this.#keepAlive()
      this.#say(frameOf(id))
    })
  }

  #say(frame: Request): void {
    if (this.#frames.push(frame) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const [frames, bodies] = [this.#frames, this.#bodies]
    this.#frames = []
    this.#bodies = []
    const all = bodies.length === 0 ? null : joined(bodies)
    try {
      this.#post(frames, all)
    } catch {
      this.#post(
        frames.filter((frame) => this.#canCross(frame)),
        all,
      )
    }
  }

  #post(frames: readonly Request[], bodies: ArrayBuffer | null): void {
    this.#worker?.postMessage({ frames, bodies } satisfies Requests, bodies === null ? [] : [bodies])
  }

  /** Something in it, perhaps a function, cannot be sent to another thread: only its caller gets the error. */
  #canCross(frame: Request): boolean {
    try {
      structuredClone(frame)
      return true
    } catch (error) {
      const id = frame[1]
      if (typeof id === 'number') this.#answered(id)?.reject(cannotCross(error))
      return false
    }
  }

  #receive(responses: readonly Response[]): void {
    for (const response of responses) this.#handle(response)
    Atomics.add(this.#numbers, shared.received, responses.length)
    if (this.#waiting.size === 0) this.#keepAlive()
  }

  #handle(response: Response): void {
    switch (response[0]) {
      case 'sent':
        this.#answered(response[1])?.resolve({ id: response[2], deliveries: response[3], repeated: response[4] })
        return
      case 'answer':
        this.#answered(response[1])?.resolve(response[2])
        return
      case 'error':
        this.#answered(response[1])?.reject(errorFrom(response[2], response[3], response[4]))
        return
      case 'event':
        this.#listeners.event(response[1])
        return
      case 'meter':
        this.#listeners.meter(response[1])
    }
  }

  #answered(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  /** As without a thread: pending calls keep the process alive, and so does a running engine. */
  #keepAlive(): void {
    if (this.#isHeld || this.#waiting.size > 0) this.#worker?.ref()
    else this.#worker?.unref()
  }

  #ended(why: string, cause: unknown): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#frames = []
    this.#bodies = []
    for (const { reject } of waiting) reject(unknownOutcome(why))
    if (this.#isEnding) return
    this.#death = new PosthornError('stopped', `The engine thread has ended: ${why}. ${afterDeath}`, { cause })
    this.#listeners.died(this.#death)
  }

  /** Blocks the whole process until the thread is outside of the driver. */
  #park(): void {
    this.#worker?.postMessage({ frames: [['park', null]], bodies: null } satisfies Requests)
    Atomics.wait(this.#numbers, shared.isParked, 0, longestParkMs)
  }
}

const longestParkMs = 5_000
const afterDeath =
  'What was accepted is stored: what it was sending is sent again once its leases are over. Start the process again.'

function joined(bodies: readonly Uint8Array[]): ArrayBuffer {
  const bytes = bodies.reduce((sum, { length }) => sum + length, 0)
  const all = new Uint8Array(bytes)
  let at = 0
  for (const body of bodies) {
    all.set(body, at)
    at += body.length
  }
  return all.buffer
}

function notOpen(): PosthornError {
  return new PosthornError('stopped', 'Expected an open store, got one that is closed. Call `open()` first.')
}

function cannotCross(error: unknown): PosthornError {
  const advice = 'Give plain values, or leave `thread` out.'
  return new PosthornError(
    'invalid_argument',
    `Expected values that can be sent to another thread, got one that cannot: ${messageOf(error)}. ${advice}`,
  )
}

function unknownOutcome(why: string): PosthornError {
  return new PosthornError(
    'outcome_unknown',
    `Expected an answer of the engine thread, got its end: ${why}. What was asked may or may not be done: a message may be sent again under the same idempotency key.`,
  )
}
