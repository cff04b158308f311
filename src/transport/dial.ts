import { lookup as systemLookup } from 'node:dns'
import type { LookupAddress } from 'node:dns'
import { connect as systemConnect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls, createSecureContext, rootCertificates } from 'node:tls'
import type { SecureContext, TLSSocket } from 'node:tls'
import { connectFailure, forbiddenFailure, lookupFailure, tlsFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import type { Guard } from './guard.ts'
import { makeTimed } from './wheel.ts'
import type { Timed, Wheel } from './wheel.ts'

/** Looks up all addresses of a name. */
export type Lookup = (hostname: string, done: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void
/** Begins a TCP connection to one of the addresses, and to no other. */
export type Connect = (target: { readonly port: number; readonly addresses: readonly LookupAddress[] }) => Socket

export interface DialerOptions {
  readonly guard: Guard
  readonly wheel: Wheel
  readonly lookup?: Lookup | undefined
  readonly connect?: Connect | undefined
  /** Certificates (PEM) to trust beside the public ones. */
  readonly ca?: readonly string[] | undefined
}

/** Where a connection goes; it also keeps the TLS session that shortens the next handshake. */
export interface Place {
  readonly hostname: string
  readonly port: number
  readonly secure: boolean
  session: Buffer | undefined
}

/** Opens connections to vetted addresses only. */
export interface Dialer {
  /** Calls back once, never before it has returned; the answer is how to give up. */
  dial(place: Place, done: Dialled): () => void
  /** Resolves when every socket that was ever opened here is closed. */
  allClosed(): Promise<void>
}

export type Dialled = (failure: Failure | null, socket: Socket | null) => void

export const lookupBudgetMs = 3_000

export function makeDialer(options: DialerOptions): Dialer {
  const { guard, wheel } = options
  const lookup = options.lookup ?? lookUp
  const connect = options.connect ?? connectTo
  const sockets = new Set<Socket>()
  const closedWaiters: (() => void)[] = []
  let secureContext: SecureContext | undefined

  function dial(place: Place, done: Dialled): () => void {
    let socket: Socket | null = null
    let ended = false

    const end: Dialled = (failure, connected) => {
      if (ended) return
      ended = true
      wheel.remove(budget)
      if (failure !== null) socket?.destroy()
      done(failure, connected)
    }
    const budget = makeTimed(() => end({ kind: 'dns', reason: `no answer to the look-up within ${lookupBudgetMs} ms` }, null))

    resolve(place.hostname, budget, (failure, addresses) => {
      wheel.remove(budget)
      if (ended) return
      if (failure !== null) return end(failure, null)
      // One bad address among good ones is how a rebinding begins: none of them is called.
      if (!addresses.every(({ address }) => guard.allows(address, place.hostname, place.port))) return end(forbiddenFailure, null)
      socket = open(place, addresses, end)
    })

    return () => {
      ended = true
      wheel.remove(budget)
      socket?.destroy()
    }
  }

  function resolve(hostname: string, budget: Timed, done: (failure: Failure | null, addresses: readonly LookupAddress[]) => void): void {
    const family = isIP(hostname)
    if (family !== 0) return queueMicrotask(() => done(null, [{ address: hostname, family }]))
    wheel.add(budget, lookupBudgetMs)
    lookup(hostname, (error, addresses) => {
      // Some resolvers call back at once, and undici does not expect that of a connector.
      queueMicrotask(() => {
        if (error !== null) done(lookupFailure(error), [])
        else if (addresses.length === 0) done({ kind: 'dns', reason: 'name has no address' }, [])
        else done(null, addresses)
      })
    })
  }

  function open(place: Place, addresses: readonly LookupAddress[], end: Dialled): Socket {
    const socket = connect({ port: place.port, addresses })
    sockets.add(socket)
    socket.once('close', () => forget(socket))
    let stage = connectFailure
    // It stays for the life of the socket: an error without a listener would end the process.
    socket.on('error', (error) => end(stage(error), null))
    socket.once('close', () => end({ kind: 'connect', reason: 'connection closed' }, null))
    socket.once('connect', () => {
      // Whoever chose the address, nothing is written to one that is not allowed.
      if (!guard.allows(socket.remoteAddress ?? '', place.hostname, place.port)) return end(forbiddenFailure, null)
      if (!place.secure) return end(null, socket)
      stage = tlsFailure
      secure(socket, place, end)
    })
    return socket
  }

  function secure(socket: Socket, place: Place, end: Dialled): void {
    const name = place.hostname.replace(/\.$/, '')
    const encrypted: TLSSocket = connectTls({
      socket,
      host: name,
      servername: isIP(name) === 0 ? name : '',
      ALPNProtocols: ['http/1.1'],
      secureContext: (secureContext ??= trust(options.ca)),
      session: place.session,
      // Said here, because an environment variable can turn it off for the whole process.
      rejectUnauthorized: true,
    })
    encrypted.on('error', (error) => end(tlsFailure(error), null))
    encrypted.once('secureConnect', () => end(null, encrypted))
    encrypted.on('session', (session) => {
      place.session = session
    })
  }

  function forget(socket: Socket): void {
    sockets.delete(socket)
    if (sockets.size === 0) for (const waiter of closedWaiters.splice(0)) waiter()
  }

  function allClosed(): Promise<void> {
    return new Promise((done) => {
      if (sockets.size === 0) done()
      else closedWaiters.push(done)
    })
  }

  return { dial, allClosed }
}

const lookUp: Lookup = (hostname, done) => systemLookup(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []))

// With more than one address, the next is tried when one has not answered within this time.
const perAddressMs = 500

const connectTo: Connect = ({ port, addresses }) => {
  const options = { port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
  const [first] = addresses
  if (addresses.length === 1 && first !== undefined) return systemConnect({ ...options, host: first.address, autoSelectFamily: false })
  return systemConnect({
    ...options,
    // Never a name that could be looked up a second time, with another answer.
    host: 'vetted.invalid',
    lookup: (_name, _options, done) => done(null, [...addresses]),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: perAddressMs,
  })
}

function trust(ca: readonly string[] | undefined): SecureContext {
  return createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ...ca] })
}
