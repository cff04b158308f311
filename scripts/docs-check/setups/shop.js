// What an operator finds: a server with an endpoint, dead letters, a job and a key.
import { join } from 'node:path'
import { Posthorn } from '../../../dist/index.js'
import { sqlite } from '../../../dist/stores/sqlite/index.js'
import { says, start } from '../processes.js'

const adminKey = 'phk_a-key-of-your-own-for-this-try'

export async function openShop(own) {
  const ids = await fillDatabase(join(own.folder, 'posthorn.db'))
  for (const id of ids) own.note(id)
  Object.assign(own.env, {
    POSTHORN_DATABASE_URL: `sqlite:${join(own.folder, 'posthorn.db')}`,
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_ADMIN_KEY: adminKey,
  })
  const server = start('exec posthorn serve', { cwd: own.folder, env: own.env })
  own.running.push(server)
  const [, url] = await says(server, /^posthorn listening on (\S+)$/m)
  Object.assign(own.env, { POSTHORN_SERVER: url, POSTHORN_KEY: adminKey })
}

/** A file that nothing runs on; returns the ids of its contents. */
export async function fillDatabase(file, options = {}) {
  const posthorn = new Posthorn({ store: sqlite(file, options), allowedTargets: ['127.0.0.0/8'] })
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
  await posthorn.stop()
  return [endpoint.id, open.id, dead.messageId, job.id, key.id, token]
}
