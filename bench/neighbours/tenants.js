// One process with Posthorn in it, and the tenants that send through it: the healthy one, and its neighbour. They share nothing but
// the Posthorn: each has a timer or loops of its own, and none waits for another.
import { endpointsIn } from './database.js'
import { answerParent, bodyOf, healthyType, library, neighbourType, nowMs } from './wire.js'

const healthyBytes = 1_000
const mostOpenOfNeighbour = 2_000

answerParent({ run })

async function run({ dist, folder, nameServerPort = null, load, neighbour = null, warmUpMs, measureMs }) {
  if (nameServerPort !== null) (await import('./names.js')).askOnly(nameServerPort)
  const posthorn = await library(dist, folder)
  const bad = { sent: 0, refused: 0, failed: 0 }
  posthorn.on('delivery.failed', () => (bad.failed += 1))
  await posthorn.start()
  const healthy = load.open === undefined ? steadily(posthorn, load) : keepingOpen(posthorn, load)
  const stopNeighbour = neighbour === null ? nothing : beBad(posthorn, endpointsIn(folder), neighbour, bad)
  await pause(warmUpMs)
  const fromMs = nowMs()
  await pause(measureMs)
  const untilMs = nowMs()
  healthy.stop()
  stopNeighbour()
  return {
    fromMs,
    untilMs,
    sentAtMs: Float64Array.from(healthy.sentAtMs),
    lateMs: Float64Array.from(healthy.lateMs),
    refused: healthy.refused,
    neighbour: bad,
  }
}

/** At a steady rate, whatever becomes of what was sent before. */
function steadily(posthorn, { perSecond, bodyBytes = healthyBytes }) {
  const healthy = { sentAtMs: [], lateMs: [], refused: 0, stop: nothing }
  healthy.stop = atRate(perSecond, (seq, lateMs) => {
    healthy.lateMs.push(lateMs)
    sendHealthy(posthorn, healthy, seq, bodyBytes)
  })
  return healthy
}

/** As fast as it is delivered: so many under way at any time. */
function keepingOpen(posthorn, { open, bodyBytes = healthyBytes }) {
  const healthy = { sentAtMs: [], lateMs: [], refused: 0, stop: () => (running = false) }
  let running = true
  let underWay = 0
  const fill = () => {
    for (; running && underWay < open; underWay += 1) sendHealthy(posthorn, healthy, healthy.sentAtMs.length, bodyBytes)
  }
  posthorn.on('delivery.delivered', () => {
    underWay -= 1
    setImmediate(fill)
  })
  fill()
  return healthy
}

function sendHealthy(posthorn, healthy, seq, bodyBytes) {
  const payload = bodyOf(seq, bodyBytes)
  healthy.sentAtMs.push(nowMs())
  posthorn.send({ application: 'healthy', type: healthyType, payload }).catch(() => (healthy.refused += 1))
}

/** Starts the neighbour; answers with how to stop it. */
function beBad(posthorn, endpoints, { perSecond, flood, bodyBytes }, bad) {
  const payload = bodyOf(0, bodyBytes)
  const send = async (index) => {
    const { application, id } = endpoints[index % endpoints.length]
    try {
      await posthorn.send({ application, type: neighbourType, payload }, { to: id })
      bad.sent += 1
    } catch {
      bad.refused += 1
    }
  }
  return flood > 0 ? keepFlooding(send, flood) : keepSending(send, perSecond)
}

function keepSending(send, perSecond) {
  let open = 0
  return atRate(perSecond, (index) => {
    if (open >= mostOpenOfNeighbour) return
    open += 1
    void send(index).finally(() => (open -= 1))
  })
}

/** Each loop sends its next message as soon as the last is stored. */
function keepFlooding(send, loops) {
  let running = true
  const loop = async () => {
    while (running) await send(0)
  }
  for (let index = 0; index < loops; index += 1) void loop()
  return () => (running = false)
}

/** Acts so many times a second, and makes up for what a busy loop has kept it from; tells how late it is. */
function atRate(perSecond, act) {
  const startedAt = performance.now()
  let count = 0
  const timer = setInterval(() => {
    const passedMs = performance.now() - startedAt
    for (; (count * 1_000) / perSecond <= passedMs; count += 1) act(count, passedMs - (count * 1_000) / perSecond)
  }, 1)
  return () => clearInterval(timer)
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function nothing() {}
