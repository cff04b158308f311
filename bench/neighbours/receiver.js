// The other side of the wire, in a process of its own. The path says how a request is treated; receipts of the healthy tenant's
// messages are stamped with the machine's monotonic time, which its sender reads as well.
import { createServer } from 'node:net'
import { answerParent, hostsAt, nowMs, seqBytes } from './wire.js'

const ok = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
const okAndClose = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
const dripped = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n')
const headEnd = Buffer.from('\r\n\r\n')
const perConnection = 100
const slowMs = 1_000
const promptAtFirst = { drip: 3, slowing: 40 }
const promptMs = 100
const verySlowMs = 10_000
const dripMs = 2_000

const sockets = new Set()
const timers = new Set()
let counts = {}
let perPath = new Map()
let received = 0
let receivedAtMs = new Float64Array(0)

const behaviours = {
  ok: (socket) => socket.write(ok),
  healthy(socket, request) {
    stamp(request.seq)
    socket.write(ok)
  },
  closing(socket, request) {
    stamp(request.seq)
    socket.answered = (socket.answered ?? 0) + 1
    if (socket.answered < perConnection) socket.write(ok)
    else socket.end(okAndClose)
  },
  slow: (socket) => later(socket, slowMs, () => socket.write(ok)),
  /** Quick until it is trusted with as many connections as an endpoint may have. */
  slowing: (socket, { path }) =>
    later(socket, visits(path) <= promptAtFirst.slowing ? promptMs : verySlowMs, () => socket.write(ok)),
  /** Good until it is known as good; then a head with 200, and a body that does not end. */
  drip(socket, { path }) {
    if (visits(path) <= promptAtFirst.drip) return socket.write(ok)
    socket.write(dripped)
    drip(socket)
  },
}

const serve = (socket) => {
  sockets.add(socket)
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  let rest = null
  let request = null
  let bodyLeft = 0

  socket.on('data', (chunk) => {
    let data = rest === null ? chunk : Buffer.concat([rest, chunk])
    rest = null
    while (data.length > 0) {
      if (request === null) {
        request = readHead(data)
        if (request === null) return void (rest = data)
        bodyLeft = request.bodyBytes
        data = data.subarray(request.headBytes)
        if (request.kind === 'hung') return hang(socket)
      }
      const eaten = Math.min(bodyLeft, data.length)
      bodyLeft -= eaten
      data = data.subarray(eaten)
      if (bodyLeft > 0) return
      count(request.kind)
      ;(behaviours[request.kind] ?? behaviours.ok)(socket, request)
      request = null
    }
  })
}

/** The first head in the data, with the number at the start of its body; null if they are not complete. */
function readHead(data) {
  const end = data.indexOf(headEnd)
  if (end === -1) return null
  const head = data.latin1Slice(0, end)
  const headBytes = end + headEnd.length
  const bodyBytes = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  if (data.length < headBytes + Math.min(seqBytes, bodyBytes)) return null
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'))
  return {
    headBytes,
    bodyBytes,
    path,
    kind: path.split('/')[1],
    seq: Number(data.latin1Slice(headBytes, headBytes + seqBytes)),
  }
}

/** Reads no more, and never answers. It cannot see the other side go, either: `reset` does that. */
function hang(socket) {
  count('hung')
  socket.pause()
}

function later(socket, ms, act) {
  const timer = setTimeout(() => {
    timers.delete(timer)
    if (socket.writable) act()
  }, ms)
  timers.add(timer)
}

function drip(socket) {
  later(socket, dripMs, () => {
    socket.write('.')
    drip(socket)
  })
}

function visits(path) {
  const visit = (perPath.get(path) ?? 0) + 1
  perPath.set(path, visit)
  return visit
}

function count(kind) {
  counts[kind] = (counts[kind] ?? 0) + 1
}

/** Keeps the first receipt of each message; 0 means none. */
function stamp(seq) {
  if (seq >= receivedAtMs.length) {
    const grown = new Float64Array(Math.max(2 * receivedAtMs.length, seq + 1, 1_024))
    grown.set(receivedAtMs)
    receivedAtMs = grown
  }
  if (receivedAtMs[seq] !== 0) return
  receivedAtMs[seq] = nowMs()
  received += 1
}

function reset() {
  for (const socket of sockets) socket.destroy()
  for (const timer of timers) clearTimeout(timer)
  timers.clear()
  counts = {}
  perPath = new Map()
  received = 0
  receivedAtMs = new Float64Array(0)
}

/** Listens on one port of many addresses: endpoints on hosts of their own. */
async function listen(hosts) {
  const port = await listenOn('127.0.0.1', 0)
  for (let index = 0; index < hosts; index += 1) await listenOn(hostsAt.bad(index), port)
  return port
}

function listenOn(host, port) {
  return new Promise((resolve, reject) => {
    const server = createServer(serve)
    server.once('error', reject)
    server.listen({ host, port, backlog: 1_024 }, () => resolve(server.address().port))
  })
}

answerParent({
  listen: ({ hosts }) => listen(hosts),
  reset,
  received: () => received,
  report: () => ({ counts, receivedAtMs }),
})
