import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { PosthornError } from '../../core/errors.ts'

/** A complete request. */
export interface Receipt {
  /** Counted from 1 in the order of arrival. */
  readonly order: number
  /** The `webhook-id` header; empty if there is none. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Waiter {
  readonly count: number
  readonly path: string | undefined
  resolve(receipts: readonly Receipt[]): void
  reject(error: Error): void
}

/** The received requests, and who waits for more. */
export class Receipts {
  readonly kept: Receipt[] = []
  readonly #keeps: boolean
  #count = 0
  readonly #counts = new Map<string, number>()
  #waiters: Waiter[] = []

  constructor(keeps: boolean) {
    this.#keeps = keeps
  }

  get count(): number {
    return this.#count
  }

  add(request: IncomingMessage, chunks: readonly Buffer[]): Receipt {
    this.#count++
    const receipt = receiptOf(this.#count, request, chunks)
    if (this.#keeps) {
      this.kept.push(receipt)
      this.#counts.set(receipt.path, this.#countOf(receipt.path) + 1)
    }
    return receipt
  }

  waitFor(count: number, path: string | undefined): Promise<readonly Receipt[]> {
    return new Promise((resolve, reject) => {
      const waiter = { count, path, resolve, reject }
      if (!this.#isServed(waiter)) this.#waiters.push(waiter)
    })
  }

  /** Resolves the waits that are satisfied by now. */
  serve(): void {
    if (this.#waiters.length > 0) this.#waiters = this.#waiters.filter((waiter) => !this.#isServed(waiter))
  }

  refuseWaiters(): void {
    for (const { count, path, reject } of this.#waiters.splice(0)) {
      const came = `${this.#countOf(path)} of ${count} requests${path === undefined ? '' : ` for ${path}`}`
      reject(new PosthornError('stopped', `The receiver was closed when it had got ${came}.`))
    }
  }

  #isServed({ count, path, resolve }: Waiter): boolean {
    if (this.#countOf(path) < count) return false
    resolve(path === undefined ? this.kept : this.kept.filter((receipt) => receipt.path === path))
    return true
  }

  #countOf(path: string | undefined): number {
    return path === undefined ? this.#count : (this.#counts.get(path) ?? 0)
  }
}

function receiptOf(order: number, request: IncomingMessage, chunks: readonly Buffer[]): Receipt {
  const [first] = chunks
  const id = request.headers['webhook-id']
  return {
    order,
    id: typeof id === 'string' ? id : '',
    method: request.method ?? '',
    path: request.url ?? '/',
    headers: request.headers,
    body: chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks),
  }
}
