import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { makeGuard } from '../../src/transport/guard.ts'

const guard = makeGuard()
const code = (check: () => void): string => {
  try {
    check()
    return 'allowed'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
const verdict = (url: string, by = guard): string => code(() => by.checkUrl(new URL(url)))

describe('addresses', () => {
  // Network, its first and last address, and the neighbours just outside that belong to nobody on the list.
  const ipv4: [network: string, first: string, last: string, before: string | null, after: string | null][] = [
    ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
    ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
    ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
    ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
    ['240.0.0.0/4', '240.0.0.0', '255.255.255.255', null, null],
    ['168.63.129.16', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ]
  test.each(ipv4)(
    '%s is closed to both its ends, and its neighbours are open',
    (_network, first, last, before, after) => {
      expect([first, last].map((address) => guard.allows(address, 'example.com'))).toEqual([false, false])
      const neighbours = [before, after].filter((address) => address !== null)
      expect(neighbours.filter((address) => !guard.allows(address, 'example.com'))).toEqual([])
    },
  )

  test.each([
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-mapped private', '::ffff:127.0.0.1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard only', '100::1'],
    ['just below global unicast', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['just above global unicast', '4000::'],
    ['first of 2001::/23', '2001::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['last of 2001::/23', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['first of documentation', '2001:db8::'],
    ['last of documentation', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['6to4 of 127.0.0.1', '2002:7f00:1::'],
    ['last of 6to4', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['the service of AS112', '2620:4f:8000::1'],
    ['first of new documentation', '3fff::'],
    ['last of new documentation', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['unique local', 'fc00::1'],
    ['unique local, assigned', 'fd12:3456:789a::1'],
    ['link local', 'fe80::1'],
    ['link local with a zone', 'fe80::1%eth0'],
    ['a public one with a zone', '2606:4700::1%eth0'],
    ['multicast', 'ff02::1'],
    ['not an address', 'example.com'],
    ['nothing', ''],
  ])('%s (%s) is closed', (_what, address) => expect(guard.allows(address, 'example.com')).toBe(false))

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '223.255.255.255',
    '2000::',
    '2001:200::',
    '2001:db7:ffff::1',
    '2001:db9::',
    '2003::',
    '2606:4700:4700::1111',
    '2620:4f:8001::',
    '3ffe:ffff::1',
    '3fff:1000::',
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ])('%s is open', (address) => expect(guard.allows(address, 'example.com')).toBe(true))
})

describe('URLs', () => {
  test.each([
    ['a plain name', 'https://example.com/hooks'],
    ['a public address', 'https://1.1.1.1/'],
    ['a public IPv6 address', 'https://[2606:4700:4700::1111]/'],
    ['any port that is not bad', 'https://example.com:8443/'],
    ['a name that only looks local', 'https://localhost.example.com/'],
    ['a trailing dot', 'https://example.com./'],
  ])('%s is allowed: %s', (_what, url) => expect(verdict(url)).toBe('allowed'))

  test.each([
    ['dotted', 'https://127.0.0.1/'],
    ['decimal', 'https://2130706433/'],
    ['octal', 'https://0177.0.0.1/'],
    ['hexadecimal', 'https://0x7f000001/'],
    ['hexadecimal parts', 'https://0x7f.0x0.0x0.0x1/'],
    ['short', 'https://127.1/'],
    ['zero', 'https://0/'],
    ['fullwidth digits', 'https://１２７.０.０.１/'],
    ['fullwidth dots', 'https://127。0。0。1/'],
    ['encoded dots', 'https://127%2e0%2e0%2e1/'],
    ['encoded digits', 'https://%31%32%37.0.0.1/'],
    ['trailing dot', 'https://127.0.0.1./'],
    ['encoded trailing dot', 'https://127.0.0.1%2e/'],
    ['tab inside', 'https://127.0.\t0.1/'],
    ['backslashes', 'https:\\\\127.0.0.1\\'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data/'],
    ['the metadata service, decimal', 'https://2852039166/'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['IPv6 loopback, long', 'https://[0:0:0:0:0:0:0:1]/'],
    ['IPv6 unspecified', 'https://[::]/'],
    ['mapped', 'https://[::ffff:127.0.0.1]/'],
    ['mapped in hexadecimal', 'https://[::ffff:7f00:1]/'],
    ['compatible', 'https://[::127.0.0.1]/'],
    ['NAT64', 'https://[64:ff9b::127.0.0.1]/'],
    ['6to4', 'https://[2002:7f00:1::]/'],
    ['Teredo', 'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/'],
    ['unique local', 'https://[fd00::1]/'],
    ['localhost', 'https://localhost/'],
    ['localhost in capitals', 'https://LOCALHOST/'],
    ['localhost in fullwidth letters', 'https://ｌｏｃａｌｈｏｓｔ/'],
    ['localhost with a dot', 'https://localhost./'],
    ['localhost with dots', 'https://localhost../'],
    ['below localhost', 'https://api.localhost/'],
    ['below localhost with a dot', 'https://api.localhost./'],
    ['a port for mail', 'https://example.com:25/'],
    ['a port for chat', 'https://example.com:6667/'],
    ['port 0', 'https://example.com:0/'],
    ['the last bad port', 'https://example.com:10080/'],
  ])('%s is forbidden: %s', (_what, url) => expect(verdict(url)).toBe('forbidden_address'))

  test.each([
    ['plain http', 'http://example.com/'],
    ['another scheme', 'ftp://example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['a user name', 'https://user@example.com/'],
    ['a password', 'https://:secret@example.com/'],
    ['a user name that looks like a host', 'https://example.com@127.0.0.1/'],
  ])('%s is an invalid URL: %s', (_what, url) => expect(verdict(url)).toBe('invalid_url'))

  test('the refusal has one wording, and names no address', () => {
    const messages = ['https://127.0.0.1/', 'https://10.1.2.3/', 'https://example.com:25/'].map((url) => {
      try {
        guard.checkUrl(new URL(url))
        return 'allowed'
      } catch (error) {
        return String(error)
      }
    })
    expect(new Set(messages).size).toBe(1)
    expect(messages[0]).toContain('forbidden address')
    expect(messages[0]).not.toMatch(/\d/)
  })

  test('`allowHttp` opens http, and no address', () => {
    const lax = makeGuard({ allowHttp: true })
    expect(verdict('http://example.com/', lax)).toBe('allowed')
    expect(verdict('http://127.0.0.1/', lax)).toBe('forbidden_address')
    expect(verdict('http://example.com:25/', lax)).toBe('forbidden_address')
  })
})

describe('allowed targets', () => {
  const lax = makeGuard({
    allowedTargets: ['127.0.0.0/8', '::1/128', '192.168.7.9', 'fd00::/8', 'hooks.local', '*.Internal'],
  })

  test.each([
    ['a network, by http, on any port', 'http://127.9.9.9:25/'],
    ['an IPv6 address', 'http://[::1]:8080/'],
    ['a plain address', 'http://192.168.7.9/'],
    ['an IPv6 network', 'https://[fd12::1]/'],
    ['a name', 'http://hooks.local/'],
    ['a name with a trailing dot', 'http://hooks.local./'],
    ['a name by its pattern', 'http://a.internal/'],
    ['a deeper name by its pattern', 'http://a.b.internal:6667/'],
    ['localhost, because loopback is allowed', 'http://localhost:3000/'],
  ])('%s: %s', (_what, url) => expect(verdict(url, lax)).toBe('allowed'))

  test.each([
    ['the neighbour of an address', 'https://192.168.7.10/', 'forbidden_address'],
    ['http elsewhere', 'http://example.com/', 'invalid_url'],
    ['the pattern without a label', 'http://internal/', 'invalid_url'],
    ['a name that only ends alike', 'http://notinternal/', 'invalid_url'],
    ['an allowed name with a user name', 'http://me@hooks.local/', 'invalid_url'],
    ['the mapped form of an allowed network', 'https://[::ffff:127.0.0.1]/', 'forbidden_address'],
  ])('not %s: %s', (_what, url, refusal) => expect(verdict(url, lax)).toBe(refusal))

  test('an allowed name may have any address; an allowed network is open under any name', () => {
    expect(lax.allows('10.0.0.1', 'a.internal')).toBe(true)
    expect(lax.allows('10.0.0.1', 'A.INTERNAL.')).toBe(true)
    expect(lax.allows('10.0.0.1', 'example.com')).toBe(false)
    expect(lax.allows('127.0.0.1', 'example.com')).toBe(true)
    expect(lax.allows('fd12::1%eth0', 'example.com')).toBe(false)
  })

  test('our own port of this machine stays closed, whatever is allowed; its neighbours do not', () => {
    const own = makeGuard({ allowedTargets: ['0.0.0.0/0', '::/0', 'hooks.local'], ownPort: 8071 })
    const machine = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address }) => address)
    expect(machine).toContain('127.0.0.1')
    for (const address of ['127.9.9.9', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', ...machine]) {
      expect([address, own.allows(address, 'hooks.local', 8071)]).toEqual([address, false])
      expect([address, own.allows(address, 'hooks.local', 8072)]).toEqual([address, true])
    }
    expect(own.allows('1.1.1.1', 'hooks.local', 8071)).toBe(true)
    for (const host of ['127.0.0.1', '127.1', '[::1]', '0', 'localhost', 'a.localhost']) {
      expect([host, verdict(`http://${host}:8071/`, own), verdict(`http://${host}:8072/`, own)]).toEqual([
        host,
        'forbidden_address',
        'allowed',
      ])
    }
    expect([
      verdict('http://localhost/', makeGuard({ ownPort: 80, allowHttp: true, allowedTargets: ['127.0.0.0/8'] })),
    ]).toEqual(['forbidden_address'])
  })

  test('localhost stays closed when only another network is allowed', () => {
    expect(verdict('https://localhost/', makeGuard({ allowedTargets: ['10.0.0.0/8'] }))).toBe('forbidden_address')
  })

  test('a network of one family does not open the other', () => {
    expect(makeGuard({ allowedTargets: ['::/0'] }).allows('127.0.0.1', 'example.com')).toBe(false)
    expect(makeGuard({ allowedTargets: ['0.0.0.0/0'] }).allows('::1', 'example.com')).toBe(false)
  })

  test.each([
    '',
    ' ',
    '*',
    '*.',
    '*.*.internal',
    'a*.internal',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '::1/129',
    '300.0.0.1',
    '127.1',
    '0x7f.0x1',
    'fe80::1%eth0',
    'http://example.com',
    'example.com:80',
    'exa mple.com',
    'hooks.local/8',
    '[::1]',
  ])('the entry "%s" is refused by its name', (entry) => {
    expect(() => makeGuard({ allowedTargets: ['10.0.0.0/8', entry] })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
    expect(() => makeGuard({ allowedTargets: [entry] })).toThrow(`"${entry}"`)
  })

  test('an entry that is not text is refused', () => {
    expect(() => makeGuard({ allowedTargets: [7 as unknown as string] })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  })
})
