import { once } from 'node:events'
import { createServer, connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** A wire to the database that a test can cut in several ways. */
export interface Proxy {
  readonly url: string
  /** Nothing passes any more, and nobody is told: as when a cable is pulled. New connections fall silent, too. */
  blackHole(): void
  /** Of a connection that asks this, nothing is heard any more; but the question arrives. */
  swallowAnswersTo(question: string): void
  /** From now on each answer takes this long. */
  slowDown(ms: number): void
  /** As a pooler does, it gives connections numbers of its own for the process of the server. */
  hideProcesses(): void
  /** Ends all connections with a reset. */
  reset(): void
  /** New connections pass again; those that fell silent stay silent. */
  heal(): void
  close(): Promise<void>
}

export async function proxyTo(target: string): Promise<Proxy> {
  const url = new URL(target)
  const sockets = new Set<Socket>()
  let mode: 'pass' | 'silent' = 'pass'
  let swallowed: string | null = null
  let slowMs = 0
  let hidesProcesses = false
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    let silent = mode === 'silent'
    let mute = false
    client.on('data', (bytes) => {
      silent ||= mode === 'silent'
      mute ||= swallowed !== null && bytes.includes(swallowed)
      if (!silent) upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (silent || mute) return
      if (hidesProcesses) hideProcess(bytes)
      if (slowMs === 0) client.write(bytes)
      else setTimeout(() => client.write(bytes), slowMs)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(target)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    blackHole() {
      mode = 'silent'
    },
    swallowAnswersTo(question) {
      swallowed = question
    },
    slowDown(ms) {
      slowMs = ms
    },
    hideProcesses() {
      hidesProcesses = true
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    heal() {
      mode = 'pass'
      swallowed = null
      slowMs = 0
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Changes the number in the message in which the server tells it, the only one of this kind and length. */
function hideProcess(bytes: Buffer): void {
  const start = bytes.indexOf(Buffer.from([75, 0, 0, 0, 12]))
  if (start >= 0) bytes.writeInt32BE(1, start + 5)
}
