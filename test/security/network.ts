import type { LookupAddress } from 'node:dns'
import { connect as dial, isIP } from 'node:net'
import type { Socket } from 'node:net'
import type { Receiver } from '../../src/testing/receiver.ts'
import type { Connect } from '../../src/transport/dial.ts'
import { makeGuard } from '../../src/transport/guard.ts'
import type { Guard } from '../../src/transport/guard.ts'
import { openReceiver } from '../transport/world.ts'
import { isPublicByRegistries } from './address-oracle.ts'

/** The guard as it ships, but for `http`: what is refused here is refused for where it leads. */
export const guarded = makeGuard({ allowHttp: true })
/** The defence switched off: whatever is asked for is called. */
export const unguarded: Guard = { checkUrl: () => undefined, allows: () => true }

/** All addresses there are, on loopback: no packet leaves the machine, and whoever connects is counted at the socket. */
export interface Network {
  readonly connect: Connect
  /** Every address that was handed over to be called. */
  readonly dialled: readonly string[]
  /** Answers for every public address. */
  readonly internet: Receiver
  /** Answers for every other one: nobody may ever connect. */
  readonly canary: Receiver
  /** Connections that were made in all. Connects once itself, so that none can still be on its way to be counted. */
  connections(): Promise<number>
}

export async function openNetwork(): Promise<Network> {
  const internet = await openReceiver({ behaviour: { status: 200, headers: { connection: 'close' } } })
  const canary = await openReceiver({ behaviour: { status: 200, headers: { connection: 'close' } } })
  const dialled: string[] = []
  let ownConnections = 0
  return {
    dialled,
    internet,
    canary,
    connect({ addresses }) {
      dialled.push(...addresses.map(({ address }) => address))
      // The other side can refuse at any of its addresses until its last one is called: the worst of them counts.
      const worst = addresses.find(({ address }) => !isPublic(address)) ?? addresses[0]
      return reach(worst, isPublic(worst?.address ?? '') ? internet.port : canary.port)
    },
    async connections() {
      ownConnections += 1
      await fetch(canary.url(), { headers: { connection: 'close' } })
      return internet.connections + canary.connections - ownConnections
    },
  }
}

/** A connection to a port of loopback that says that it leads to the address. */
function reach(to: LookupAddress | undefined, port: number): Socket {
  const socket = dial({ host: '127.0.0.1', port })
  return Object.defineProperty(socket, 'remoteAddress', { value: to?.address })
}

/** Of the forms that an address can have, those with a dotted end or a zone are never of a public one. */
export function isPublic(address: string): boolean {
  const isPlain = isIP(address) === 4 || (isIP(address) === 6 && !/[.%]/.test(address))
  return isPlain && isPublicByRegistries(address)
}
