import { isId } from '../../core/ids.ts'
import type { ApiRequest } from './api-request.ts'
import type { Caller } from './caller.ts'

/** What Node's own server knows of a request besides the request itself. */
export interface Connection {
  readonly incoming?: { readonly socket: { readonly remoteAddress?: string | undefined } }
}

/** Who asks, from where and why, for the audit log. */
export interface By {
  readonly by: string
  readonly keyId?: string
  readonly from: string
  readonly reason?: string
}

/** Who calls, as the audit log knows them: by the key that they have shown, also if that was once, for a session. */
export function actorOf(
  { id, name, sessionOf, from, portal }: Caller,
  address: string,
): Pick<By, 'by' | 'keyId' | 'from'> {
  const keyId = sessionOf ?? id
  const isPortal = portal !== null && portal !== undefined
  return { by: name, ...(isId('key', keyId) && { keyId }), from: from ?? (isPortal ? `portal ${address}` : address) }
}

/** Whose limits somebody without a key is under: the address that is connected to us, as no proxy's word can be made up. Of IPv6 the network: everybody has 2^64 addresses. */
export function networkOf(connection: Connection | undefined): string {
  const address = connection?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'unknown'
  return address.includes(':') ? networkOfIpv6(address) : address
}

/** The first 64 bits; zeros that `::` stands for are written out. */
function networkOfIpv6(address: string): string {
  const [before = '', after] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

/** The address that a request came from; with what a proxy says of the one before it, which may be made up. */
export function addressOf(request: Pick<ApiRequest, 'headers'>, connection: Connection | undefined): string {
  const socket = connection?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'http'
  const forwarded = request.headers.get('x-forwarded-for')
  return forwarded !== null && /^[\da-f.:, ]{2,200}$/i.test(forwarded) ? `${forwarded} via ${socket}` : socket
}
