// Where the snippets of one page run, one after the other: a folder, an environment, ports, and the ids that commands have shown.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Posthorn } from '../../dist/index.js'
import { sqlite } from '../../dist/stores/sqlite/index.js'
import { says, start, stop } from './processes.js'
import { freePort } from './world.js'

/** Ports that pages name: each page has its own instead, so that nothing is in its way. */
const namedPorts = [8071, 8072, 3000]

export async function makeStage(world, { path, stage }) {
  const folder = join(world.folder, path.replaceAll(/[/.]/g, '-'))
  mkdirSync(folder, { recursive: true })
  const ports = new Map()
  for (const named of namedPorts) ports.set(String(named), String(await freePort()))
  const own = {
    world,
    folder,
    env: { ...world.env, POSTHORN_PORT: ports.get('8071'), DOCS_CHECK_LISTEN_PORT: ports.get('8072') },
    /** What the page has exported so far, and where it went. */
    prelude: [],
    running: [],
    shown: new Map(),
    last: null,
    databaseUrl: null,
    fill: (code) => filledIn(code, ports, own.shown),
    note: (text) => noteIds(own.shown, text),
    async close() {
      for (const program of own.running.toReversed()) await stop(program)
    },
  }
  if (stage === 'shop') await openShop(own)
  return own
}

/** Ports of the page's own; `ep_…` and its like stand for what a command has shown last. */
function filledIn(code, ports, shown) {
  return code
    .replaceAll(/\b(?:8071|8072|3000)\b/g, (port) => ports.get(port))
    .replaceAll(/\b([a-z]{2,5})_…/g, (text, kind) => shown.get(kind) ?? text)
}

function noteIds(shown, text) {
  for (const [id, kind] of text.matchAll(/\b(app|ep|msg|dlv|job|key|phk|whsec)_[\w+/=-]{16,}/g)) shown.set(kind, id)
}

/** A server with an endpoint, dead letters, a job and a key: what an operator finds. */
async function openShop(own) {
  const databaseUrl = `sqlite:${join(own.folder, 'posthorn.db')}`
  const posthorn = new Posthorn({ store: sqlite(join(own.folder, 'posthorn.db')), allowedTargets: ['127.0.0.0/8'] })
  const endpoint = await posthorn.endpoints.create({
    application: 'acme',
    uid: 'till',
    url: 'http://127.0.0.1:9/hooks',
  })
  await posthorn.endpoints.pause(endpoint.id, { by: 'docs:check' })
  const message = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }
  await posthorn.send([message, message, message])
  await posthorn.cancel({ endpointId: endpoint.id })
  await posthorn.send(message)
  const [open] = await posthorn.deliveries.list({ status: 'pending' })
  const [dead] = await posthorn.deliveries.list({ status: 'dead' })
  const job = await posthorn.jobs.create({ action: 'requeue', filter: { status: 'dead', reason: 'expired' } })
  const { key, token } = await posthorn.keys.create({ name: 'old' })
  const { token: admin } = await posthorn.keys.create({ name: 'admin' })
  await posthorn.stop()
  for (const id of [endpoint.id, open.id, dead.messageId, job.id, key.id, token]) own.note(id)
  Object.assign(own.env, { POSTHORN_DATABASE_URL: databaseUrl, POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8' })
  const server = start('exec posthorn serve', { cwd: own.folder, env: own.env })
  own.running.push(server)
  const [, url] = await says(server, /^posthorn listening on (\S+)$/m)
  Object.assign(own.env, { POSTHORN_SERVER: url, POSTHORN_KEY: admin })
}
