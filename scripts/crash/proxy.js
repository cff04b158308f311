import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** A proxy between one worker and the database, on loopback, that can cut the worker off: silently, or with a reset. */
export async function startProxy(databaseUrl) {
  const target = new URL(databaseUrl)
  const pairs = new Set()
  let cut = null
  const server = createServer((near) => {
    if (cut === 'reset') return void near.resetAndDestroy()
    const pair = { near, far: connect(Number(target.port), target.hostname) }
    pairs.add(pair)
    tie(pair, () => pairs.delete(pair))
    if (cut === null) join(pair)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String(server.address().port)

  return {
    url: url.href,
    cutOff(kind) {
      cut = kind
      for (const pair of pairs) {
        if (kind === 'silent') part(pair)
        else for (const socket of [pair.near, pair.far]) socket.resetAndDestroy()
      }
    },
    /** Whatever was held back arrives now, as TCP would repeat it. */
    heal() {
      if (cut === 'silent') for (const pair of pairs) join(pair)
      cut = null
    },
    async close() {
      server.close()
      for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy()
      await once(server, 'close')
    },
  }
}

function join({ near, far }) {
  near.pipe(far)
  far.pipe(near)
}

function part({ near, far }) {
  near.unpipe(far)
  far.unpipe(near)
}

function tie({ near, far }, onClosed) {
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ]) {
    socket.on('error', () => undefined)
    socket.on('close', () => {
      other.destroy()
      onClosed()
    })
  }
}
