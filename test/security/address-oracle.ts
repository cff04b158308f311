/*
 * Which addresses belong to the public internet, by the registries of IANA, and by nothing that the guard is made of: its own tables, its own
 * parser, plain arithmetic. A block of a registry is closed whatever the registry says of its reach.
 *
 * https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry,
 * https://www.iana.org/assignments/ipv6-address-space, https://www.iana.org/assignments/multicast-addresses
 */

export interface Block {
  readonly text: string
  readonly family: 4 | 6
  readonly first: bigint
  readonly last: bigint
}

/** IPv4: the special-purpose registry row by row, multicast, and one address that only a cloud knows. */
export const closedIpv4 = blocks(`
  0.0.0.0/8            this network
  0.0.0.0/32           this host on this network
  10.0.0.0/8           private use
  100.64.0.0/10        shared address space
  127.0.0.0/8          loopback
  169.254.0.0/16       link local
  172.16.0.0/12        private use
  192.0.0.0/24         IETF protocol assignments
  192.0.0.0/29         IPv4 service continuity prefix
  192.0.0.8/32         IPv4 dummy address
  192.0.0.9/32         port control protocol anycast
  192.0.0.10/32        traversal using relays around NAT anycast
  192.0.0.170/32       NAT64/DNS64 discovery
  192.0.0.171/32       NAT64/DNS64 discovery
  192.0.2.0/24         documentation (TEST-NET-1)
  192.31.196.0/24      AS112-v4
  192.52.193.0/24      AMT
  192.88.99.0/24       deprecated (6to4 relay anycast)
  192.168.0.0/16       private use
  192.175.48.0/24      direct delegation AS112 service
  198.18.0.0/15        benchmarking
  198.51.100.0/24      documentation (TEST-NET-2)
  203.0.113.0/24       documentation (TEST-NET-3)
  240.0.0.0/4          reserved
  255.255.255.255/32   limited broadcast
  224.0.0.0/4          multicast
  168.63.129.16/32     the host agent of Azure
`)

/** IPv6: all of the address space but what is assigned as global unicast. */
export const unassignedIpv6 = blocks(`
  0000::/8    reserved
  0100::/8    reserved
  0200::/7    reserved
  0400::/6    reserved
  0800::/5    reserved
  1000::/4    reserved
  4000::/3    reserved
  6000::/3    reserved
  8000::/3    reserved
  a000::/3    reserved
  c000::/3    reserved
  e000::/4    reserved
  f000::/5    reserved
  f800::/6    reserved
  fc00::/7    unique local unicast
  fe00::/9    reserved
  fe80::/10   link-scoped unicast
  fec0::/10   reserved, once site local
  ff00::/8    multicast
`)

/** IPv6: the special-purpose registry, row by row. */
export const specialIpv6 = blocks(`
  ::1/128             loopback
  ::/128              unspecified
  ::ffff:0:0/96       IPv4-mapped
  64:ff9b::/96        IPv4-IPv6 translation
  64:ff9b:1::/48      IPv4-IPv6 translation, local
  100::/64            discard only
  100:0:0:1::/64      dummy prefix
  2001::/23           IETF protocol assignments
  2001::/32           Teredo
  2001:1::1/128       port control protocol anycast
  2001:1::2/128       traversal using relays around NAT anycast
  2001:1::3/128       DNS-SD service registration anycast
  2001:2::/48         benchmarking
  2001:3::/32         AMT
  2001:4:112::/48     AS112-v6
  2001:10::/28        deprecated (ORCHID)
  2001:20::/28        ORCHIDv2
  2001:30::/28        drone remote ID protocol
  2001:db8::/32       documentation
  2002::/16           6to4
  2620:4f:8000::/48   direct delegation AS112 service
  3fff::/20           documentation
  5f00::/16           segment routing SIDs
  fc00::/7            unique local
  fe80::/10           link local
`)

/** Whether an address is one of the public internet. */
export function isPublicByRegistries(address: string): boolean {
  if (!address.includes(':')) return isNone(closedIpv4, ipv4Number(address))
  const number = ipv6Number(address)
  return isNone(unassignedIpv6, number) && isNone(specialIpv6, number)
}

export function ipv4Number(text: string): bigint {
  return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
}

export function ipv4Text(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) % 256n).join('.')
}

export function ipv6Number(text: string): bigint {
  const [head = '', tail] = text.split('::')
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0n)
  return [...left, ...zeros, ...right].reduce((sum, group) => sum * 65_536n + group, 0n)
}

/** All eight groups, without any of the short forms. */
export function ipv6Text(number: bigint): string {
  return Array.from({ length: 8 }, (_, index) => ((number >> BigInt(112 - index * 16)) % 65_536n).toString(16)).join(
    ':',
  )
}

function groupsOf(text: string): bigint[] {
  return text === '' ? [] : text.split(':').map((group) => BigInt(`0x${group}`))
}

function isNone(list: readonly Block[], number: bigint): boolean {
  return list.every(({ first, last }) => number < first || number > last)
}

function blocks(table: string): Block[] {
  return table
    .trim()
    .split('\n')
    .map((line) => block(line.trim().split(/\s/, 1)[0] ?? ''))
}

function block(text: string): Block {
  const [address = '', length = ''] = text.split('/')
  const family = address.includes(':') ? 6 : 4
  const width = family === 4 ? 32n : 128n
  const size = 1n << (width - BigInt(length))
  const first = family === 4 ? ipv4Number(address) : ipv6Number(address)
  if (first % size !== 0n) throw new Error(`Expected ${text} to begin at a multiple of its size.`)
  return { text, family, first, last: first + size - 1n }
}
