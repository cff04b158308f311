import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect, createSecureContext, rootCertificates } from 'node:tls'
import type { SecureContext, TLSSocket } from 'node:tls'
import { Lru } from '../core/lru.ts'

const mostSessions = 1_000

/** Encrypts connections, and keeps the sessions that shorten the next handshake with the same server. */
export class Tls {
  private readonly ca: readonly string[] | undefined
  private readonly sessions = new Lru<string, Buffer>(mostSessions)
  private context: SecureContext | undefined

  /** Takes certificates (PEM) to trust beside the public ones. */
  constructor(ca: readonly string[] | undefined) {
    this.ca = ca
  }

  /** Begins the handshake; the caller listens to `secureConnect` and `error`. */
  secure(socket: Socket, hostname: string, port: number): TLSSocket {
    const name = hostname.replace(/\.$/, '')
    const server = `${name}:${port}`
    const encrypted = connect({
      socket,
      host: name,
      servername: isIP(name) === 0 ? name : '',
      ALPNProtocols: ['http/1.1'],
      secureContext: (this.context ??= trust(this.ca)),
      session: this.sessions.get(server),
      // Said here, because an environment variable can turn it off for the whole process.
      rejectUnauthorized: true,
    })
    encrypted.on('session', (session) => this.sessions.set(server, session))
    return encrypted
  }
}

function trust(ca: readonly string[] | undefined): SecureContext {
  return createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ...ca] })
}
