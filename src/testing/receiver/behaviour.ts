import type { ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../core/ports/ports.ts'
import type { Receipt } from './receipts.ts'

/** One way to answer, or not to. */
export type Behaviour =
  | number
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
    }
  /** Exactly these bytes, then the connection ends. */
  | { readonly raw: string | Uint8Array }
  /** Never answers. */
  | 'hang'
  /** Destroys the socket instead of answering. */
  | 'reset'
  | Misbehaviour['kind']
  | Misbehaviour
  | Slow
  | ((receipt: Receipt) => Behaviour)
  /** One after the other; the last is repeated. */
  | readonly Behaviour[]

/** Answers after a while, with 200 by default. */
interface Slow {
  readonly kind: 'slow'
  readonly afterMs: number
  readonly clock?: Clock
  readonly answer?: Behaviour
}

/** A head, 200 by default, with a body that goes wrong: a byte now and then, no end, an early end, 8 MiB. */
export type Misbehaviour =
  | { readonly kind: 'drip'; readonly status?: number; readonly everyMs?: number; readonly clock?: Clock }
  | { readonly kind: 'endless' | 'cut' | 'huge'; readonly status?: number }

const hugeBytes = 8 * 1024 * 1024
const chunk = Buffer.alloc(64 * 1024, 'x')

/** A list is used up from the front; everything else repeats. */
export function inTurn(behaviour: Behaviour): () => Behaviour {
  if (!isList(behaviour)) return () => behaviour
  let turn = 0
  return () => behaviour[Math.min(turn++, behaviour.length - 1)] ?? 200
}

export function answer(behaviour: Behaviour, receipt: Receipt, response: ServerResponse): void {
  if (typeof behaviour === 'number') return void response.writeHead(behaviour, { 'content-length': '0' }).end()
  if (typeof behaviour === 'function') return answer(behaviour(receipt), receipt, response)
  if (typeof behaviour === 'string') return answerByName(behaviour, response)
  if (isList(behaviour)) return answer(behaviour[0] ?? 200, receipt, response)
  if ('raw' in behaviour) return void response.socket?.end(behaviour.raw)
  if (!('kind' in behaviour)) return void response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
  if (behaviour.kind === 'slow') return answerLate(behaviour, receipt, response)
  return misbehave(behaviour, response)
}

function answerByName(name: 'hang' | 'reset' | Misbehaviour['kind'], response: ServerResponse): void {
  if (name === 'hang') return
  if (name === 'reset') return reset(response)
  return misbehave({ kind: name }, response)
}

function answerLate(slow: Slow, receipt: Receipt, response: ServerResponse): void {
  const { afterMs, clock = systemClock, answer: late = 200 } = slow
  const stop = clock.after(afterMs, () => answer(late, receipt, response))
  response.once('close', stop)
}

function misbehave(behaviour: Misbehaviour, response: ServerResponse): void {
  const status = behaviour.status ?? 200
  switch (behaviour.kind) {
    case 'cut':
      // It disconnects only when the head and a part of the body are out.
      response.writeHead(status, { 'content-length': '1000' }).write('cut short', () => response.socket?.destroy())
      return
    case 'huge':
      response.writeHead(status, { 'content-length': String(hugeBytes) }).end(Buffer.alloc(hugeBytes, 'x'))
      return
    case 'endless':
      response.writeHead(status)
      pour(response)
      return
    case 'drip':
      response.writeHead(status)
      drip(response, behaviour.everyMs ?? 20, behaviour.clock ?? systemClock)
  }
}

function pour(response: ServerResponse): void {
  if (response.destroyed) return
  if (response.write(chunk)) setImmediate(pour, response)
  else response.once('drain', () => pour(response))
}

function drip(response: ServerResponse, everyMs: number, clock: Clock): void {
  response.write('.')
  const stop = clock.after(everyMs, () => {
    response.off('close', stop)
    drip(response, everyMs, clock)
  })
  response.once('close', stop)
}

/** Not a graceful end: the other side sees ECONNRESET. Only a plain connection can do that. */
function reset({ socket }: ServerResponse): void {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket?.resetAndDestroy()
}

function isList(behaviour: Behaviour): behaviour is readonly Behaviour[] {
  return Array.isArray(behaviour)
}
