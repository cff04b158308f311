import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface ForwardProxy {
  readonly port: number
  /** The heads of all requests, in their order. */
  readonly asked: string[]
  /** Resolves with the first request. */
  readonly firstAsked: Promise<unknown>
}

export interface ForwardProxyOptions {
  /** What is answered instead of a tunnel; `hang` answers nothing. */
  readonly answer?: string
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A proxy that knows CONNECT only, and leads every name to loopback. */
export async function openForwardProxy({ answer, tls }: ForwardProxyOptions = {}): Promise<ForwardProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const accept = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (bytes: Buffer) => {
      asked.push(bytes.toString())
      server.emit('asked')
      if (answer === 'hang') return
      if (answer !== undefined) return void socket.end(answer)
      lead(socket, Number(/^CONNECT \S+:(\d+) /.exec(bytes.toString())?.[1]), sockets)
    })
  }
  const server: Server = tls === undefined ? createServer(accept) : createSecureServer(tls, accept)
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, asked, firstAsked: once(server, 'asked') }
}

function lead(from: Socket, port: number, sockets: Set<Socket>): void {
  const to = connect({ port, host: '127.0.0.1' }, () => {
    from.write('HTTP/1.1 200 Connection established\r\n\r\n')
    from.pipe(to).pipe(from)
  })
  sockets.add(to)
  to.on('error', () => from.destroy())
}
