import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect, createSecureContext } from 'node:tls'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { TransportAuthentication } from '../core/endpoint/authentication.ts'
import { Lru } from '../core/lru.ts'

/** Our identity, and the additional authorities we trust, on the connections of one endpoint. */
export interface TlsIdentity extends Pick<TransportAuthentication, 'clientCertificate' | 'ca'> {
  /** The same for the same certificates, and for no others. */
  readonly id: string
}

/** The server of a connection, and our identity there. */
interface TlsPeer {
  readonly hostname: string
  readonly port: number
  readonly identity?: TlsIdentity | null
}

/** Null for most endpoints, which need none. */
export function tlsIdentity({
  clientCertificate,
  ca,
}: Pick<TransportAuthentication, 'clientCertificate' | 'ca'>): TlsIdentity | null {
  if (clientCertificate === undefined && ca === undefined) return null
  const content = [clientCertificate?.certificate, clientCertificate?.privateKey, ca]
  return { id: createHash('sha256').update(JSON.stringify(content)).digest('base64'), clientCertificate, ca }
}

const mostSessions = 1_000
const mostContexts = 1_000

/** Encrypts connections, and keeps the sessions that shorten the next handshake with the same server. */
export class Tls {
  private readonly ca: readonly string[]
  private readonly sessions = new Lru<string, Buffer>(mostSessions)
  private readonly contexts = new Lru<string, SecureContext>(mostContexts)

  /** Takes certificates (PEM) to trust in addition to the public ones. */
  constructor(ca: readonly string[] = []) {
    this.ca = ca
  }

  /** Starts the handshake; the caller listens for `secureConnect` and `error`. Throws if one of our certificates cannot be used. */
  secure(socket: Socket, { hostname, port, identity = null }: TlsPeer): TLSSocket {
    const name = hostname.replace(/\.$/, '')
    // A session carries the certificate that it began with: no other identity may resume it.
    const server = `${identity?.id ?? ''} ${name}:${port}`
    const encrypted = connect({
      socket,
      host: name,
      servername: isIP(name) === 0 ? name : '',
      ALPNProtocols: ['http/1.1'],
      secureContext: this.contextOf(identity),
      session: this.sessions.get(server),
      // Set explicitly, because an environment variable can turn it off for the whole process.
      rejectUnauthorized: true,
    })
    encrypted.on('session', (session) => this.sessions.set(server, session))
    return encrypted
  }

  private contextOf(identity: TlsIdentity | null): SecureContext {
    const id = identity?.id ?? ''
    const known = this.contexts.get(id)
    if (known !== undefined) return known
    const { certificate: cert, privateKey: key } = identity?.clientCertificate ?? {}
    const context = createSecureContext({ cert, key })
    for (const ca of [...this.ca, ...(identity?.ca === undefined ? [] : [identity.ca])]) alsoTrust(context, ca)
    this.contexts.set(id, context)
    return context
  }
}

/**
 * Adds to what the process already trusts. The `ca` option would replace it, and passing all of those again
 * takes 40 ms and a megabyte for each endpoint, which a tenant can create.
 */
function alsoTrust({ context }: SecureContext, ca: string): void {
  const native: { addCACert(pem: string): void } = context
  native.addCACert(ca)
}
