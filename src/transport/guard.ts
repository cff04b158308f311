import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expected, PosthornError } from '../core/errors.ts'

/** Decides which addresses may be called. */
export interface Guard {
  /** Refuses a URL by its text, before any lookup or connection. */
  checkUrl(url: URL): void
  /** Whether a resolved (or connected) address may be called for a host, on a port. */
  allows(address: string, hostname: string, port?: number): boolean
}

interface GuardOptions {
  /** Networks (`10.0.0.0/8`), addresses and host patterns (`*.internal`) that may be called although they are private, also by http, on any port. */
  readonly allowedTargets?: readonly string[]
  /** Allows http for every target. */
  readonly allowHttp?: boolean
  /** The port of this machine that our own server listens on: never called, whatever is allowed. */
  readonly ownPort?: number | null
}

/** Creates the guard: public addresses by https only, and whatever was explicitly allowed. */
export function makeGuard(options: GuardOptions = {}): Guard {
  const allowed = readTargets(options.allowedTargets ?? [])

  function allows(address: string, hostname: string, port?: number): boolean {
    if (port !== undefined && port === options.ownPort && isOwnAddress(address)) return false
    return allowed.hasHost(plainName(hostname)) || allowed.hasAddress(address) || isPublic(address)
  }

  function isAllowedTarget(hostname: string): boolean {
    if (isIP(hostname) !== 0) return allowed.hasAddress(hostname)
    return (
      allowed.hasHost(hostname) || (isLocalhost(hostname) && loopbacks.some((address) => allowed.hasAddress(address)))
    )
  }

  function checkUrl(url: URL): void {
    checkForm(url)
    const hostname = plainName(url.hostname)
    if (portOf(url) === options.ownPort && (isLocalhost(hostname) || isOwnAddress(hostname))) throw forbidden()
    if (isAllowedTarget(hostname)) return
    if (url.protocol === 'http:' && options.allowHttp !== true) {
      throw expected(
        'invalid_url',
        'url',
        'an https URL',
        url.protocol,
        'Plain http needs `allowHttp`, or the target in `allowedTargets`.',
      )
    }
    if (isPrivateHost(hostname) || badPorts.has(url.port)) throw forbidden()
  }

  return { checkUrl, allows }
}

function checkForm(url: URL): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw expected('invalid_url', 'url', 'an http(s) URL', url.protocol)
  if (url.username !== '' || url.password !== '') {
    throw expected(
      'invalid_url',
      'url',
      'a URL without user name or password',
      `one for ${url.host}`,
      'Put credentials into `headers`.',
    )
  }
}

/** Private by its name; where another name leads is known only after its lookup. */
function isPrivateHost(hostname: string): boolean {
  return isIP(hostname) === 0 ? isLocalhost(hostname) : !isPublic(hostname)
}

// Everything but the public internet, from the registries of special addresses; the last one is Azure's host agent.
const closedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]
// Only global unicast is allowed, so mapped, compatible, NAT64, local and multicast addresses are refused; of the rest, Teredo and
// 6to4 contain an IPv4 address that would otherwise go unchecked.
const openIpv6 = ['2000::/3']
const closedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const ipv4Closed = blockList(closedIpv4, 'ipv4')
const ipv6Open = blockList(openIpv6, 'ipv6')
const ipv6Closed = blockList(closedIpv6, 'ipv6')

function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !ipv4Closed.check(address, 'ipv4')
    case 6:
      // An address with a zone is local to an interface.
      return !address.includes('%') && ipv6Open.check(address, 'ipv6') && !ipv6Closed.check(address, 'ipv6')
    default:
      return false
  }
}

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const loopbacks = ['127.0.0.1', '::1']

function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** A host in comparable form: without the brackets of IPv6 and without the dot that makes a name absolute. */
function plainName(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return hostname.replace(/\.+$/, '').toLowerCase()
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}

/** Whether an address leads back to this machine. Only checked for our own port, so it need not be cached. */
function isOwnAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) === 4 && loopback.check(plain, 'ipv4')) return true
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return loopbacks.includes(plain) || plain === '::' || own.some((each) => each.address === plain)
}

// A connection to 0.0.0.0 goes to the machine itself.
const loopback = blockList(['127.0.0.0/8', '0.0.0.0/8'], 'ipv4')

interface Targets {
  hasHost(hostname: string): boolean
  hasAddress(address: string): boolean
}

function readTargets(entries: readonly string[]): Targets {
  // One list per family: in a shared one, an IPv6 network such as ::/0 would also match every IPv4 address.
  const ipv4 = new BlockList()
  const ipv6 = new BlockList()
  const names = new Set<string>()
  const suffixes: string[] = []

  for (const entry of entries) {
    const network = readNetwork(entry)
    if (network !== null)
      (network.family === 'ipv4' ? ipv4 : ipv6).addSubnet(network.address, network.bits, network.family)
    else if (!isHostPattern(entry)) throw badEntry(entry)
    else if (entry.startsWith('*.')) suffixes.push(entry.slice(1).toLowerCase())
    else names.add(entry.toLowerCase())
  }

  return {
    hasHost: (hostname) => names.has(hostname) || suffixes.some((suffix) => hostname.endsWith(suffix)),
    hasAddress(address) {
      if (address.includes('%')) return false
      const family = isIP(address)
      if (family === 0) return false
      return family === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6')
    },
  }
}

function readNetwork(entry: unknown): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | null {
  if (typeof entry !== 'string') throw badEntry(entry)
  const [address = '', bits, ...rest] = entry.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0) return null
  const most = version === 4 ? 32 : 128
  const count = bits === undefined ? most : countOf(bits)
  if (rest.length > 0 || count > most) throw badEntry(entry)
  return { address, bits: count, family: version === 4 ? 'ipv4' : 'ipv6' }
}

function countOf(digits: string): number {
  return /^\d{1,3}$/.test(digits) ? Number(digits) : Infinity
}

/** A name whose last label is a number is a malformed address, never a host. */
function isHostPattern(entry: string): boolean {
  return /^(\*\.)?([a-z0-9_-]{1,63}\.)*(?!0x|\d+$)[a-z0-9_-]{1,63}$/i.test(entry)
}

function badEntry(entry: unknown): PosthornError {
  const wanted = 'a list of networks (10.0.0.0/8, ::1/128), addresses and host patterns (localhost, *.internal)'
  return expected('invalid_argument', 'allowedTargets', wanted, entry, 'Correct or remove this entry.')
}

/** Always the same text: the tenant must not learn what is behind an address. */
function forbidden(): PosthornError {
  return new PosthornError(
    'forbidden_address',
    'Expected `url` to be a public target, got a forbidden address. The operator can list private targets in `allowedTargets`.',
  )
}

// The ports that the Fetch standard blocks: other protocols that an HTTP request could abuse.
const badPorts = new Set(
  `
  0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137
  139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723
  2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080
  `
    .trim()
    .split(/\s+/),
)
