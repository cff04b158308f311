import { isId } from '../../core/ids.ts'
import type { ApiRequest } from './api-request.ts'
import type { Caller } from './caller.ts'

/** What Node's own server knows about a request besides the request itself. */
export interface Connection {
  readonly incoming?: { readonly socket: { readonly remoteAddress?: string | undefined } }
}

/** Who is calling, from where and why, for the audit log. */
export interface By {
  readonly by: string
  readonly keyId?: string
  readonly from: string
  readonly reason?: string
}

/** The caller as the audit log shows it: by the key that was presented, even if only once, for a session. */
export function actorOf(
  { id, name, sessionOf, from, portal }: Caller,
  address: string,
): Pick<By, 'by' | 'keyId' | 'from'> {
  const keyId = sessionOf ?? id
  const isPortal = portal !== null && portal !== undefined
  return { by: name, ...(isId('key', keyId) && { keyId }), from: from ?? (isPortal ? `portal ${address}` : address) }
}

/** Whose limits apply to callers without a key: the connected address, because headers can be forged. For IPv6 the network: everybody has 2^64 addresses. */
export function networkOf(connection: Connection | undefined): string {
  const address = connection?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'unknown'
  return address.includes(':') ? networkOfIpv6(address) : address
}

/** The first 64 bits, with the zeros of `::` written out. */
function networkOfIpv6(address: string): string {
  const [before = '', after] = address.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = after === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

/** The address that a request came from, and the one that a proxy reports, which may be forged. */
export function addressOf(request: Pick<ApiRequest, 'headers'>, connection: Connection | undefined): string {
  const socket = connection?.incoming?.socket.remoteAddress?.replace(/^::ffff:/, '') ?? 'http'
  const forwarded = request.headers.get('x-forwarded-for')
  return forwarded !== null && /^[\da-f.:, ]{2,200}$/i.test(forwarded) ? `${forwarded} via ${socket}` : socket
}
