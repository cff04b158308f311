import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'

export interface Certificate {
  readonly name: string
  readonly key: string
  readonly cert: string
  readonly privateKey: KeyObject
}

export interface CertificateOptions {
  readonly name: string
  /** Names and IPv4 addresses it is good for. */
  readonly hosts?: readonly string[]
  /** Who signs it; itself if absent. */
  readonly issuer?: Certificate
  readonly isAuthority?: boolean
  readonly notAfter?: string
}

/** An X.509 certificate made on the spot, so that no private key lies in the repository. Times are years past and to come. */
export function makeCertificate({
  name,
  hosts = [],
  issuer,
  isAuthority = false,
  notAfter = '20990101000000Z',
}: CertificateOptions): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const content = sequence(
    explicit(0, integer(2)),
    integer(1),
    algorithm,
    distinguishedName(issuer?.name ?? name),
    sequence(time('20200101000000Z'), time(notAfter)),
    distinguishedName(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    explicit(3, sequence(...extensions(hosts, isAuthority))),
  )
  const signature = sign('sha256', content, issuer?.privateKey ?? privateKey)
  const der = sequence(content, algorithm, bits(signature))
  return { name, privateKey, key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })), cert: pem(der) }
}

function extensions(hosts: readonly string[], isAuthority: boolean): Buffer[] {
  const basic = sequence(oid('551d13'), boolean(true), octets(isAuthority ? sequence(boolean(true)) : sequence()))
  if (hosts.length === 0) return [basic]
  const names = hosts.map((host) =>
    isIP(host) === 4 ? element(0x87, Buffer.from(host.split('.').map(Number))) : element(0x82, Buffer.from(host)),
  )
  return [basic, sequence(oid('551d11'), octets(sequence(...names)))]
}

function distinguishedName(name: string): Buffer {
  return sequence(element(0x31, sequence(oid('550403'), element(0x0c, Buffer.from(name)))))
}

function element(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content])
}

function lengthOf({ length }: Buffer): number[] {
  if (length < 128) return [length]
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

const sequence = (...contents: Buffer[]): Buffer => element(0x30, ...contents)
const explicit = (number: number, content: Buffer): Buffer => element(0xa0 + number, content)
const integer = (value: number): Buffer => element(0x02, Buffer.from([value]))
const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]))
const octets = (content: Buffer): Buffer => element(0x04, content)
const bits = (content: Buffer): Buffer => element(0x03, Buffer.from([0]), content)
const oid = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'))
const time = (text: string): Buffer => element(0x18, Buffer.from(text))

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
