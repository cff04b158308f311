// A name server on loopback: every name is at 127.0.0.1, and those that begin with "never-" get no answer at all.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'

const headerBytes = 12
const typeA = 1
const secondsToLive = 1

export async function startNameServer() {
  let unanswered = 0
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const question = readQuestion(query)
    if (question === null) return
    if (question.name.startsWith('never-')) unanswered += 1
    else socket.send(answerTo(query, question), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    /** How many questions got no answer since this was last asked. */
    takeUnanswered() {
      const taken = unanswered
      unanswered = 0
      return taken
    },
    stop: () => socket.close(),
  }
}

function readQuestion(query) {
  const labels = []
  let at = headerBytes
  while (at < query.length && query[at] !== 0) {
    labels.push(query.latin1Slice(at + 1, at + 1 + query[at]).toLowerCase())
    at += 1 + query[at]
  }
  const end = at + 5
  return end > query.length ? null : { name: labels.join('.'), type: query.readUInt16BE(at + 1), end }
}

function answerTo(query, { type, end }) {
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  // Nobody here has an address of IPv6: a good answer without one.
  header.writeUInt16BE(type === typeA ? 1 : 0, 6)
  const question = query.subarray(headerBytes, end)
  const address = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, secondsToLive, 0, 4, 127, 0, 0, 1])
  return Buffer.concat(type === typeA ? [header, question, address] : [header, question])
}
