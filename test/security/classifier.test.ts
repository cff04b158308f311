import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { makeGuard } from '../../src/transport/guard.ts'
import type { Guard } from '../../src/transport/guard.ts'
import {
  closedIpv4,
  ipv4Number,
  ipv4Text,
  ipv6Number,
  ipv6Text,
  isPublicByRegistries,
  specialIpv6,
  unassignedIpv6,
} from './address-oracle.ts'
import type { Block } from './address-oracle.ts'

const guard = makeGuard()

describe('the guard and the registries of IANA agree', () => {
  test.each([0, 64, 128, 192])('at both ends of every IPv4 /16, from %i.0.0.0 for a quarter of all', (octet) => {
    const ends = Array.from({ length: 65_536 / 4 }, (_, index) => (octet * 256 + index) * 65_536)
    const addresses = ends.flatMap((first) => [first, first + 65_535]).map((number) => ipv4Text(BigInt(number)))
    expect(addresses).toHaveLength(32_768)
    expect(compare(guard, addresses).disputed).toEqual([])
  })

  test('at both ends of every /24, where an IPv4 /16 holds a smaller block', () => {
    const small = closedIpv4.filter(({ first, last }) => last - first < 65_535n).map(({ first }) => first >> 16n)
    const ends = [...new Set(small)].flatMap((prefix) =>
      Array.from({ length: 256 }, (_, third) => prefix * 65_536n + BigInt(third) * 256n),
    )
    expect(compare(guard, ends.flatMap((first) => [first, first + 255n]).map(ipv4Text)).disputed).toEqual([])
  })

  test.each([1, 2, 3, 4])(
    'on a quarter of 100,000 IPv6 addresses, drawn from everywhere, from each block, and from around its ends (seed %i)',
    (seed) => {
      const addresses = drawIpv6(25_000, seed)
      const { open, disputed } = compare(guard, addresses)
      expect(disputed).toEqual([])
      expect(new Set(addresses).size).toBeGreaterThan(20_000)
      // Neither answer may be rare, or to agree would mean little.
      expect(open).toBeGreaterThan(2_500)
      expect(open).toBeLessThan(22_500)
    },
  )

  test('at both ends of every block, and beside them', () => {
    expect(compare(guard, allBlocks().flatMap(around)).disputed).toEqual([])
  })
})

describe('a guard that lets one block through is told apart:', () => {
  test.each(allBlocks())('$text', (block) => {
    const lax = makeGuard({ allowedTargets: [block.text] })
    expect(compare(lax, around(block)).disputed).not.toEqual([])
  })
})

describe('the registries, as they are read here,', () => {
  test.each([
    ['8.8.8.8', true],
    ['192.0.0.9', false],
    ['192.0.1.0', true],
    ['168.63.129.16', false],
    ['168.63.129.17', true],
    ['2606:4700:4700::1111', true],
    ['2001:200::', true],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', false],
    ['::ffff:808:808', false],
    ['64:ff9b::808:808', false],
    ['3fff:1000::', true],
    ['4000::', false],
  ])('say of %s that it is public: %s', (address, isPublic) => {
    expect(isPublicByRegistries(address)).toBe(isPublic)
  })

  test.each(['0.0.0.1', '255.255.255.255', '192.168.7.9'])('%s is the same after its number', (address) => {
    expect(ipv4Text(ipv4Number(address))).toBe(address)
  })

  test.each([
    ['::1', '0:0:0:0:0:0:0:1'],
    ['2001:db8::', '2001:db8:0:0:0:0:0:0'],
    ['fe80::1:2', 'fe80:0:0:0:0:0:1:2'],
  ])('%s is %s', (short, long) => {
    expect(ipv6Text(ipv6Number(short))).toBe(long)
  })
})

function allBlocks(): Block[] {
  return [...closedIpv4, ...unassignedIpv6, ...specialIpv6]
}

/** How many addresses the guard opens, and those of which the registries say something else. */
function compare({ allows }: Guard, addresses: readonly string[]): { open: number; disputed: string[] } {
  const disputed: string[] = []
  let open = 0
  for (const address of addresses) {
    const isOpen = allows(address, 'hooks.example')
    if (isOpen) open += 1
    if (isOpen !== isPublicByRegistries(address)) disputed.push(address)
  }
  return { open, disputed: disputed.slice(0, 20) }
}

/** A block's ends, and what lies just outside. */
function around({ family, first, last }: Block): string[] {
  const highest = (1n << (family === 4 ? 32n : 128n)) - 1n
  return [first - 1n, first, last, last + 1n]
    .filter((number) => number >= 0n && number <= highest)
    .map(family === 4 ? ipv4Text : ipv6Text)
}

function drawIpv6(count: number, seed: number): string[] {
  const random = seededRandom(seed)
  const whole = (below: number): number => Math.floor(random() * below)
  const bits = (width: number): bigint =>
    Array.from({ length: width / 16 }, () => BigInt(whole(65_536))).reduce((sum, part) => sum * 65_536n + part, 0n)
  const blocks = [...unassignedIpv6, ...specialIpv6]
  const globalUnicast = ipv6Number('2000::')
  const ways = [
    () => bits(128),
    () => globalUnicast + bits(128) / 8n,
    ({ first, last }: Block) => first + (bits(128) % (last - first + 1n)),
    ({ first }: Block) => first - 1n - bits(64),
    ({ last }: Block) => last + 1n + bits(64),
  ]
  return Array.from({ length: count }, () => {
    const number = ways[whole(ways.length)]!(blocks[whole(blocks.length)]!)
    return ipv6Text(((number % (1n << 128n)) + (1n << 128n)) % (1n << 128n))
  })
}
