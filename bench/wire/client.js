// Asks over raw sockets, each request once the one before it is answered: a client that costs a fraction of the server that it measures.
// Requests are built once; of an answer it reads no more than its status and length.
import { connect } from 'node:net'

const endOfHead = '\r\n\r\n'
const lengthName = 'content-length: '
const bufferBytes = 64 * 1024
const stampDigits = 20

process.on('message', (order) => void run(order))
process.on('disconnect', () => process.exit(0))
process.send('ready')

/** So many connections for so long, as fast as answers come, or so many requests per second in all. */
async function run({ port, requests, connections, ms, perSecond = null }) {
  const startedAt = performance.now()
  const load = {
    port,
    requests: requests.map((text) => ({ bytes: Buffer.from(text), stampAt: text.indexOf('#'.repeat(stampDigits)) })),
    endsAt: startedAt + ms,
    pauseMs: perSecond === null ? 0 : (1000 * connections) / perSecond,
    count: 0,
    refused: 0,
  }
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: connections }, (_, index) => ask(load, index, connections)))
  const { user, system } = process.cpuUsage(before)
  process.send({
    count: load.count,
    refused: load.refused,
    seconds: (performance.now() - startedAt) / 1000,
    cpuUs: user + system,
  })
}

/** One connection, until the time is over. */
function ask(load, index, connections) {
  return new Promise((resolve, reject) => {
    const { port, requests, endsAt, pauseMs } = load
    const { bytes, stampAt } = requests[index % requests.length]
    let left = 0
    let askedAt = 0
    const send = () => {
      askedAt = performance.now()
      if (stampAt !== -1) bytes.write(String(process.hrtime.bigint()).padStart(stampDigits, '0'), stampAt, 'latin1')
      socket.write(bytes)
    }
    const answered = (now) => {
      load.count += 1
      if (now >= endsAt) socket.end()
      else if (pauseMs === 0) send()
      else setTimeout(send, Math.max(0, askedAt + pauseMs - now))
    }
    const read = (length, buffer) => {
      if (left === 0) {
        const answer = answerIn(buffer, length)
        if (answer.status >= 300) load.refused += 1
        left = answer.bytes
      }
      left -= length
      if (left === 0) answered(performance.now())
      else if (left < 0) reject(new Error('Expected one answer to one request, got more.'))
      return true
    }
    const onread = { buffer: Buffer.alloc(bufferBytes), callback: read }
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    socket.once('connect', () => setTimeout(send, (pauseMs * index) / connections))
    socket.once('error', reject)
    socket.once('close', resolve)
  })
}

/** The status of an answer, and how many bytes it has with its head. */
function answerIn(buffer, length) {
  const headEnd = buffer.indexOf(endOfHead, 0, 'latin1')
  if (headEnd === -1 || headEnd >= length) throw new Error('Expected the head of an answer in one piece.')
  const head = buffer.latin1Slice(0, headEnd).toLowerCase()
  const at = head.indexOf(lengthName)
  if (at === -1) throw new Error(`Expected an answer with its length, got ${head}`)
  const bodyBytes = Number.parseInt(head.slice(at + lengthName.length), 10)
  return { status: Number(head.slice(9, 12)), bytes: headEnd + endOfHead.length + bodyBytes }
}
