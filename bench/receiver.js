// The other side of the wire, in a process of its own: answers 200 with as little work as HTTP/1.1 allows, so that
// what is measured is the sender. It keeps the latency of requests that carry their time of sending, and says what it costs itself.
import { createServer } from 'node:net'

const ok = answerOf('200 OK')
const failure = answerOf('500 Internal Server Error')
let answer = ok
const head = Buffer.from('\r\n\r\n')
const stamp = Buffer.from('"sentAtNs":"')
const lengthName = 'content-length: '
let count = 0
let latenciesMs = []
let isHolding = false
let held = []

const server = createServer((socket) => {
  socket.setNoDelay(true)
  let rest = null
  socket.on('data', (chunk) => {
    let data = rest === null ? chunk : Buffer.concat([rest, chunk])
    rest = null
    let answers = 0
    while (data.length > 0) {
      const end = requestEnd(data)
      if (end === -1 || end > data.length) {
        rest = data
        break
      }
      note(data.subarray(0, end))
      answers += 1
      data = data.subarray(end)
    }
    if (isHolding) held.push(socket)
    else if (answers === 1) socket.write(answer)
    else if (answers > 1) socket.write(Buffer.concat(Array.from({ length: answers }, () => answer)))
  })
  socket.on('error', () => socket.destroy())
})

function answerOf(status) {
  return Buffer.from(`HTTP/1.1 ${status}\r\ncontent-length: 2\r\nconnection: keep-alive\r\n\r\nok`)
}

/** Where the first request in the data ends; -1 if its head is not complete. */
function requestEnd(data) {
  const headEnd = data.indexOf(head)
  if (headEnd === -1) return -1
  const text = data.latin1Slice(0, headEnd).toLowerCase()
  const at = text.indexOf(lengthName)
  return headEnd + 4 + (at === -1 ? 0 : Number.parseInt(text.slice(at + lengthName.length), 10))
}

function note(request) {
  count += 1
  const at = request.indexOf(stamp)
  if (at === -1) return
  const from = at + stamp.length
  const sentAtNs = BigInt(request.latin1Slice(from, request.indexOf(34, from)))
  latenciesMs.push(Number(process.hrtime.bigint() - sentAtNs) / 1e6)
}

process.on('message', (message) => {
  if (message === 'report') {
    const { user, system } = process.cpuUsage()
    process.send({ count, latenciesMs, cpuUs: user + system, held: held.length })
    latenciesMs = []
  }
  if (message === 'count') process.send(count)
  if (message === 'fail') answer = failure
  if (message === 'hold') isHolding = true
  if (message === 'release') {
    isHolding = false
    answer = ok
    for (const socket of held) socket.write(answer)
    held = []
  }
})
process.on('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
