import type { IncomingMessage } from 'node:http'

/** A request of the API: a platform `Request`, or just as much of it as the API needs. */
export type ApiRequest = Request | NodeRequest

/** A request as Node's own server provides it. No header occurs twice, because Node joins those differently than `Headers` does. */
export class NodeRequest {
  readonly method: string
  readonly url: string
  readonly headers: Pick<Headers, 'get' | 'has'>
  readonly #incoming: IncomingMessage

  constructor(incoming: IncomingMessage) {
    const { method = 'GET', url = '/', headers } = incoming
    this.method = method
    this.url = `http://${headers.host ?? ''}${url}`
    this.headers = new NodeHeaders(headers)
    this.#incoming = incoming
  }

  get bodyUsed(): boolean {
    return this.#incoming.readableDidRead
  }

  /** Signals that the caller has left. */
  get signal(): AbortSignal {
    const controller = new AbortController()
    this.#incoming.socket.once('close', () => controller.abort())
    return controller.signal
  }

  /** The whole body, not copied if it came in one piece; can be read once. Rejects if the caller leaves before its end. */
  body(): Promise<Uint8Array> {
    const incoming = this.#incoming
    const parts: Buffer[] = []
    return new Promise((resolve, reject) => {
      const closed = (): void => {
        if (!incoming.readableEnded) reject(new Error('The connection was closed before the end of the body.'))
      }
      // It may have been closed before anybody listened.
      if (incoming.destroyed) return closed()
      incoming.on('data', (part: Buffer) => void parts.push(part))
      incoming.on('end', () => resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)))
      incoming.on('error', reject)
      incoming.on('close', closed)
    })
  }
}

class NodeHeaders {
  readonly #headers: IncomingMessage['headers']

  constructor(headers: IncomingMessage['headers']) {
    this.#headers = headers
  }

  get(name: string): string | null {
    const value = this.#headers[name]
    return typeof value === 'string' ? value : null
  }

  has(name: string): boolean {
    return this.#headers[name] !== undefined
  }
}
