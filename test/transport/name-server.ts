import { createSocket } from 'node:dgram'
import { onTestFinished } from 'vitest'

/** How a name server answers one question; null if never. */
export type NameAnswer =
  | { readonly addresses: readonly string[]; readonly ttlSeconds?: number }
  | 'no data'
  | 'no such name'
  | 'failure'
  | null

export interface NameServer {
  /** As `Resolver.setServers` takes it. */
  readonly address: string
  /** What was asked so far, such as `A hooks.test`; repeats included. */
  readonly questions: readonly string[]
  /** Resolves once so many different questions were asked. */
  waitFor(count: number): Promise<void>
}

type Family = 'A' | 'AAAA'

/** A name server on loopback, closed when the test ends: no test may ask one elsewhere. */
export async function openNameServer(answerTo: (name: string, family: Family) => NameAnswer): Promise<NameServer> {
  const questions: string[] = []
  let waiters: { count: number; resolve: () => void }[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, family, end } = readQuestion(query)
    questions.push(`${family} ${name}`)
    const answer = answerTo(name, family)
    if (answer !== null) socket.send(reply(query, end, family, answer), from.port, from.address)
    const asked = new Set(questions).size
    for (const { count, resolve } of waiters) if (asked >= count) resolve()
    waiters = waiters.filter(({ count }) => asked < count)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void socket.close(() => resolve())))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    waitFor: (count) =>
      new Promise((resolve) => {
        if (new Set(questions).size >= count) resolve()
        else waiters.push({ count, resolve })
      }),
  }
}

const headerBytes = 12
const families: Readonly<Record<number, Family>> = { 1: 'A', 28: 'AAAA' }

function readQuestion(query: Buffer): { name: string; family: Family; end: number } {
  const labels: string[] = []
  let at = headerBytes
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const family = families[query.readUInt16BE(at + 1)]
  if (family === undefined) throw new Error(`Expected a question for an address, got ${query.toString('hex')}.`)
  return { name: labels.join('.').toLowerCase(), family, end: at + 5 }
}

const codes = { 'no data': 0, failure: 2, 'no such name': 3 } as const

/** The question again, and records that point back to its name. */
function reply(query: Buffer, end: number, family: Family, answer: Exclude<NameAnswer, null>): Buffer {
  const { addresses, ttlSeconds = 60 } = typeof answer === 'string' ? { addresses: [] } : answer
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? codes[answer] : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  const records = addresses.map((address) => {
    const data = family === 'A' ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address)
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc000 | headerBytes, 0)
    record.writeUInt16BE(family === 'A' ? 1 : 28, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(ttlSeconds, 6)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([header, query.subarray(headerBytes, end), ...records])
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const bytes = Buffer.alloc(16)
  for (const [index, group] of groups(head).entries()) bytes.writeUInt16BE(group, index * 2)
  for (const [index, group] of groups(tail).toReversed().entries()) bytes.writeUInt16BE(group, 14 - index * 2)
  return bytes
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
