import { ipv4Number } from './address-oracle.ts'

/** Ways to write a URL that leads, or seems to lead, where no delivery may go. */
export interface Family {
  readonly name: string
  readonly urls: readonly string[]
  /** What stops it: the guard, or already the parser and the checks of every URL, with no guard at all. */
  readonly stoppedBy: 'guard' | 'form'
}

/** One address of each closed block, and those that attackers like best. */
const addresses = [
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200', // metadata of Alibaba
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16', // the host agent of Azure
  '169.254.169.254', // metadata of most clouds
  '169.254.170.2', // credentials of ECS
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192', // metadata of Oracle
  '192.0.2.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.88.99.1',
  '192.168.1.1',
  '192.175.48.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '255.255.255.255',
] as const

type Spelling = (octets: readonly number[], number: number) => string

const [one, two, three] = [0x100, 0x10000, 0x1000000]
const hex = (value: number): string => `0x${value.toString(16)}`
const octal = (value: number): string => `0${value.toString(8)}`
const dotted = (octets: readonly number[]): string => octets.join('.')
const mapped = (text: string, digits: string): string =>
  text.replaceAll(/\d/g, (digit) => Array.from(digits)[Number(digit)] ?? '')

const ipv4Spellings: Readonly<Record<string, Spelling>> = {
  dotted,
  decimal: (_, number) => String(number),
  hexadecimal: (_, number) => hex(number),
  'hexadecimal with zeros in front': (_, number) => `0x${number.toString(16).padStart(20, '0')}`,
  'hexadecimal in capitals': (_, number) => `0X${number.toString(16).toUpperCase()}`,
  octal: (_, number) => octal(number),
  'hexadecimal parts': (octets) => octets.map(hex).join('.'),
  'octal parts': (octets) => octets.map(octal).join('.'),
  'octal parts with zeros in front': (octets) => octets.map((octet) => octet.toString(8).padStart(9, '0')).join('.'),
  'two parts': ([first = 0], number) => `${first}.${number % three}`,
  'three parts': ([first = 0, second = 0], number) => `${first}.${second}.${number % two}`,
  'parts of three kinds': ([first = 0, second = 0, third = 0], number) =>
    `${hex(first)}.${octal(second)}.${third}.${hex(number % one)}`,
  'fullwidth digits': (octets) => mapped(dotted(octets), '０１２３４５６７８９'),
  'circled digits': (octets) => mapped(dotted(octets), '⓪①②③④⑤⑥⑦⑧⑨'),
  'mathematical digits': (octets) => mapped(dotted(octets), '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗'),
  'superscript digits': (octets) => mapped(dotted(octets), '⁰¹²³⁴⁵⁶⁷⁸⁹'),
  'ideographic full stops': (octets) => octets.join('。'),
  'halfwidth ideographic full stops': (octets) => octets.join('｡'),
  'fullwidth full stops': (octets) => octets.join('．'),
  'encoded dots': (octets) => octets.join('%2e'),
  'encoded digits': (octets) => dotted(octets).replaceAll(/\d/g, (digit) => `%3${digit}`),
  'encoded fullwidth digits': (octets) => encodeURIComponent(mapped(dotted(octets), '０１２３４５６７８９')),
  'a trailing dot': (octets) => `${dotted(octets)}.`,
  'an encoded trailing dot': (octets) => `${dotted(octets)}%2E`,
  'tabs and line feeds inside': (octets) => octets.join('.\t\r\n'),
  'a soft hyphen inside': (octets) => octets.join('.\u00AD'),
  'a zero width space inside': (octets) => octets.join('\u200B.'),
}

type Embedding = (high: string, low: string, text: string) => string

const ipv6Embeddings: Readonly<Record<string, Embedding>> = {
  'mapped, dotted': (_high, _low, text) => `::ffff:${text}`,
  'mapped, hexadecimal': (high, low) => `::ffff:${high}:${low}`,
  'mapped, in full': (high, low) => `0000:0000:0000:0000:0000:FFFF:${high}:${low}`,
  compatible: (_high, _low, text) => `::${text}`,
  translated: (high, low) => `::ffff:0:${high}:${low}`,
  NAT64: (high, low) => `64:ff9b::${high}:${low}`,
  'local NAT64': (high, low) => `64:ff9b:1::${high}:${low}`,
  '6to4': (high, low) => `2002:${high}:${low}::1`,
  Teredo: (high, low) => `2001:0:4136:e378:8000:63bf:${inverted(high)}:${inverted(low)}`,
  ISATAP: (high, low) => `fe80::5efe:${high}:${low}`,
}

const ipv6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::0.0.0.1',
  '::2',
  '100::1',
  '100:0:0:1::1',
  '1fff:ffff::1',
  '2001::1',
  '2001:1::1',
  '2001:10::1',
  '2001:1ff::1',
  '2001:db8::1',
  '2002::1',
  '2620:4f:8000::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254', // metadata of EC2
  'fd20:ce::254', // metadata of Google
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
]

const localhosts = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost..',
  'ｌｏｃａｌｈｏｓｔ',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'loc\u00ADalhost',
  'l%6fcalhost',
  'localhost%2e',
  'api.localhost',
  'a.b.localhost.',
]

/** Names whose owner lets them lead inwards; the resolver of the test does. */
export const inwardNames: Readonly<Record<string, readonly string[]>> = {
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '169-254-169-254.sslip.io': ['169.254.169.254'],
  'localtest.me': ['127.0.0.1', '::1'],
  'lvh.me': ['127.0.0.1'],
  'spoofed.burpcollaborator.net': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'instance-data.ec2.internal': ['169.254.169.254'],
  'host.docker.internal': ['192.168.65.254'],
  'kubernetes.default.svc.cluster.local': ['10.96.0.1'],
  'db.corp.example': ['10.1.2.3'],
  'carrier.example': ['100.64.1.1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'nat64.example': ['64:ff9b::a00:1'],
  '6to4.example': ['2002:a00:1::1'],
  'zone.example': ['fe80::1%eth0'],
  'mixed.example': ['1.1.1.1', '10.0.0.1'],
  'mixed6.example': ['2606:4700::1', '::1'],
  'last-of-many.example': [...Array.from({ length: 15 }, (_, index) => `1.1.1.${index + 1}`), '127.0.0.1'],
  'no-address.example': ['localhost'],
  'octal.example': ['0177.0.0.1'],
  'short.example': ['127.1'],
}

// Those of the Fetch standard: protocols that an HTTP request could talk into something.
const badPorts =
  '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'.split(
    ' ',
  )

const userInfo = [
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://:password@example.com/',
  'http://example.com@127.0.0.1/',
  'http://127.0.0.1@example.com/',
  'http://example.com%40@127.0.0.1/',
  'http://example.com:80@127.0.0.1:80/',
  'http://example.com@@127.0.0.1/',
  'http://a:b@c:d@127.0.0.1/',
  'http://example.com&@127.0.0.1/',
  'http://１@127.0.0.1/',
]

const otherSchemes = [
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'dict://127.0.0.1:11211/stats',
  'ldap://127.0.0.1/',
  'sftp://127.0.0.1/',
  'tftp://127.0.0.1/x',
  'ws://127.0.0.1/',
  'wss://127.0.0.1/',
  'jar:http://127.0.0.1!/',
  'view-source:http://127.0.0.1/',
  'blob:http://127.0.0.1/x',
  'data:text/html,<script>',
  'javascript:fetch("http://127.0.0.1")',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'about:blank',
]

const noUrl = [
  '',
  ' ',
  'http',
  'http:',
  'http://',
  'http:///',
  'http://?',
  'http://#',
  '//127.0.0.1/',
  '/etc/passwd',
  '127.0.0.1:80',
  'http://127.0.0.1\u0000.example.com/',
  'http://127.0.0.1%00.example.com/',
  'http://127.0.0.1 .example.com/',
  'http://127.0.0.1%20/',
  'http://127.0.0.1%0d%0ahost:x/',
  'http://256.256.256.256/',
  'http://127.0.0.1.1/',
  'http://1.2.3.4.5/',
  'http://0x100000000/',
  'http://4294967296/',
  'http://127.0.0.09/',
  'http://[::1/',
  'http://::1/',
  'http://[127.0.0.1]/',
  'http://[::ffff:127.0.0.1.1]/',
  'http://[fe80::1%25eth0]/',
  'http://[::1]]/',
  'http://[1:2:3:4:5:6:7:8:9]/',
  'http://example.com:99999/',
  'http://example.com:80:80/',
  'http://example.com:a/',
  'http://exa<mple.com/',
  'http://exa|mple.com/',
  'http://xn--/',
  `http://example.com/${'a'.repeat(2_000)}`,
]

/** Where two parsers would disagree which part is the host. */
const splitHosts = [
  'http:127.0.0.1/',
  'http:/127.0.0.1/',
  'http:///127.0.0.1/',
  'http:////127.0.0.1/',
  'http:\\\\127.0.0.1\\',
  'http:/\\127.0.0.1/',
  'http://127.0.0.1#@example.com/',
  'http://127.0.0.1?@example.com/',
  'http://127.0.0.1\\@example.com/',
  'http://127.0.0.1/@example.com/',
  'http://127.0.0.1:80#.example.com/',
  'http://127.0.0.1:/',
  'http://127.0.0.1:00080/',
  'hTTp://127.0.0.1/',
  '\thttp://127.0.0.1/',
  '\u0001http://127.0.0.1/',
  'http://127.0.0.1/\u0000',
  'ht\ntp://127.0.0.1/',
  'http://[::1]#@example.com/',
  'http://[::1]\\@example.com/',
]

export const families: readonly Family[] = [
  ...Object.entries(ipv4Spellings).map(([name, spell]) => family(`IPv4, ${name}`, addresses.map(spelled(spell)))),
  ...Object.entries(ipv6Embeddings).map(([name, embed]) =>
    family(`IPv4 in IPv6, ${name}`, addresses.map(embedded(embed))),
  ),
  family(
    'IPv6 that is not public',
    ipv6.map((address) => `[${address}]`),
  ),
  family('localhost', localhosts),
  family('a name that leads inwards', Object.keys(inwardNames)),
  { name: 'two hosts in one URL', urls: splitHosts, stoppedBy: 'guard' },
  {
    name: 'a port of another protocol',
    urls: badPorts.map((port) => `http://example.com:${port}/`),
    stoppedBy: 'guard',
  },
  { name: 'a user name or password', urls: userInfo, stoppedBy: 'form' },
  { name: 'another scheme', urls: otherSchemes, stoppedBy: 'form' },
  { name: 'what is no URL', urls: noUrl, stoppedBy: 'form' },
]

function family(name: string, hosts: readonly string[]): Family {
  return { name, urls: hosts.map((host) => `http://${host}/`), stoppedBy: 'guard' }
}

function spelled(spell: Spelling): (address: string) => string {
  return (address) => spell(address.split('.').map(Number), Number(ipv4Number(address)))
}

function embedded(embed: Embedding): (address: string) => string {
  return (address) => {
    const number = Number(ipv4Number(address))
    return `[${embed(Math.floor(number / two).toString(16), (number % two).toString(16), address)}]`
  }
}

function inverted(group: string): string {
  return (0xffff - Number.parseInt(group, 16)).toString(16)
}
