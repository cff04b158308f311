import { errorWithCode } from '../transport/world.ts'

/** What the owner of a name answers, look-up after look-up; one attempt is made for each. */
export interface Rebinding {
  readonly what: string
  readonly answers: readonly (readonly string[] | NodeJS.ErrnoException)[]
}

const [good, good6, bad, bad6] = ['1.1.1.1', '2606:4700::1', '127.0.0.1', '::1']
const unknown = errorWithCode('ENOTFOUND')
const failed = errorWithCode('ESERVFAIL')

export const rebindings: readonly Rebinding[] = [
  { what: 'public, then loopback', answers: [[good], [bad]] },
  { what: 'public for a while, then the metadata service', answers: [[good], [good], [good], ['169.254.169.254']] },
  { what: 'loopback, then public, then loopback again', answers: [[bad], [good], [bad]] },
  { what: 'public and loopback in turn', answers: [[good], [bad], [good], [bad], [good], [bad]] },
  { what: 'loopback behind a public address in one answer', answers: [[good, bad]] },
  { what: 'loopback before a public address in one answer', answers: [[bad, good]] },
  { what: 'a private address as the last of sixteen', answers: [[...publicAddresses(15), '10.0.0.1']] },
  { what: 'public, then public and private together', answers: [[good], [good, '192.168.0.1']] },
  { what: 'public by IPv4, loopback by IPv6', answers: [[good, bad6]] },
  { what: 'public by IPv4, and a mapped address', answers: [[good, '::ffff:127.0.0.1']] },
  { what: 'unknown, then loopback', answers: [unknown, [bad]] },
  { what: 'failing, then private', answers: [failed, failed, ['10.0.0.1']] },
  { what: 'without an address, then private', answers: [[], ['172.16.0.1']] },
  { what: 'public, then unknown, then loopback', answers: [[good], unknown, [bad]] },
  { what: 'public, then the shared space of carriers', answers: [[good], ['100.64.0.1']] },
  { what: 'public, then the unspecified address', answers: [[good], ['0.0.0.0']] },
  { what: 'public, then the host agent of a cloud', answers: [[good], ['168.63.129.16']] },
  { what: 'public by IPv6, then unique local', answers: [[good6], ['fd00:ec2::254']] },
  { what: 'public by IPv6, then NAT64 of loopback', answers: [[good6], ['64:ff9b::7f00:1']] },
  { what: 'public by IPv6, then 6to4 of loopback', answers: [[good6], ['2002:7f00:1::1']] },
  { what: 'public by IPv6, then Teredo', answers: [[good6], ['2001:0:4136:e378:8000:63bf:80ff:fffe']] },
  { what: 'public by IPv6, then link local with a zone', answers: [[good6], ['fe80::1%eth0']] },
  { what: 'public, then an address in another notation', answers: [[good], ['0177.0.0.1']] },
  { what: 'public, then a name in the place of an address', answers: [[good], ['localhost']] },
]

function publicAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `1.1.1.${index + 1}`)
}
