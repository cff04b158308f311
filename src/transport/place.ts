import type { LookupAddress } from 'node:dns'
import type { Socket } from 'node:net'
import type { TlsIdentity } from './tls.ts'

/** Opens a TCP connection to one of the addresses, and to no other. */
export type Connect = (to: { readonly port: number; readonly addresses: readonly LookupAddress[] }) => Socket

/** Where a connection goes. */
export interface Place {
  readonly hostname: string
  readonly port: number
  readonly secure: boolean
  /** Our identity there; null or absent for none. */
  readonly identity?: TlsIdentity | null
}

export function placeOf({ hostname, port, protocol }: URL): Place {
  const secure = protocol === 'https:'
  return {
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    secure,
  }
}
