// Checks a receiver that a page shows, with real deliveries, for everything that the guide promises.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { Posthorn } from '../../../dist/index.js'
import { sqlite } from '../../../dist/stores/sqlite/index.js'
import { secret } from './module.js'
import { fileAndCommand, listens, start, stop } from '../processes.js'
import { query } from '../world.js'

const inbox = 'create table inbox (id text primary key, event jsonb not null, handled_at timestamptz)'

/** The comment says "file, then command": the snippet is written to the file, and the command runs it. */
export async function runReceiver({ code, way }, setup) {
  const { file, command } = fileAndCommand(way)
  if (!isInstalled(command, setup)) throw new NotHere(`${command.split(' ', 1)[0]} is not installed`)
  const usesDatabase = code.includes('DATABASE_URL')
  const databaseUrl = usesDatabase ? await setup.world.freshDatabase() : ''
  if (usesDatabase) await query(databaseUrl, inbox)
  writeFileSync(join(setup.folder, file), setup.fill(code))
  const env = { ...setup.env, WEBHOOK_SECRET: secret, DATABASE_URL: databaseUrl, PYTHONUNBUFFERED: '1' }
  const port = Number(setup.fill('3000'))
  const program = start(setup.fill(command), { cwd: setup.folder, env })
  try {
    await listens(program, port)
    const ids = await deliverTo(`http://127.0.0.1:${port}/hooks`)
    const received = usesDatabase
      ? (await query(databaseUrl, 'select id from inbox')).rows.map(({ id }) => id)
      : [...program.stdout.matchAll(/^received (\S+)/gm)].map(([, id]) => id)
    if (inOrder(received) !== inOrder(ids))
      throw new Error(`Expected each of ${ids.join(', ')} to be taken once, got ${received.join(', ')}.`)
  } catch (thrown) {
    throw new Error(`${thrown.message}\nThe receiver said:\n${program.all}`, { cause: thrown })
  } finally {
    await stop(program)
  }
}

/** Something that this machine cannot run, as opposed to something that does not work. */
export class NotHere extends Error {}

function isInstalled(command, { env }) {
  return spawnSync('bash', ['-c', `command -v ${command.split(' ', 1)[0]}`], { env }).status === 0
}

function inOrder(ids) {
  return ids.toSorted((one, other) => one.localeCompare(other)).join()
}

/** Two messages, one of them twice, one after the secret was rotated; forgeries in between. Returns the ids that must be accepted. */
async function deliverTo(url) {
  const posthorn = new Posthorn({
    store: sqlite(':memory:', { plaintextSecrets: true }),
    allowedTargets: ['127.0.0.0/8'],
  })
  try {
    await posthorn.start()
    const endpoint = await posthorn.endpoints.create({ application: 'acme', url, secret })
    const first = await delivered(posthorn, () =>
      posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7, note: 'zwölf €' } }),
    )
    await delivered(posthorn, () => posthorn.requeue(first.webhook_delivery_id, { by: 'docs:check' }))
    await refuses(url)
    await posthorn.endpoints.rotateSecret(endpoint.id, { overlapMs: 60_000 })
    const second = await delivered(posthorn, () =>
      posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 8 } }),
    )
    return [first.message_id, second.message_id]
  } finally {
    await posthorn.stop()
  }
}

/** The result of a delivery that this starts: it must arrive at once. */
async function delivered(posthorn, begin) {
  const listening = []
  const ended = new Promise((resolve, reject) => {
    listening.push(
      posthorn.on('delivery.delivered', resolve),
      posthorn.on('delivery.failed', ({ error_detail }) =>
        reject(new Error(`Expected the receiver to take it, got ${error_detail}.`)),
      ),
    )
  })
  try {
    await begin()
    return await ended
  } finally {
    for (const off of listening) off()
  }
}

/** A wrong signature, none, one from ten minutes ago, and a changed body: each must be refused with a 4xx. */
async function refuses(url) {
  const body = JSON.stringify({ type: 'invoice.paid', data: { id: 666 } })
  const long = new Date(Date.now() - 600_000)
  const now = new Date()
  const forgeries = [
    { name: 'a wrong signature', at: now, signature: 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' },
    { name: 'an old one', at: long, signature: new Webhook(secret).sign('msg_forged', long, body) },
    {
      name: 'the signature of another body',
      at: now,
      signature: new Webhook(secret).sign('msg_forged', now, `${body} `),
    },
  ]
  for (const { name, at, signature } of forgeries) {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'msg_forged',
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': signature,
    }
    const { status } = await fetch(url, { method: 'POST', headers, body })
    if (status < 400 || status > 499)
      throw new Error(`Expected the receiver to refuse ${name} with a 4xx, got ${status}.`)
  }
  const { status } = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (status < 400 || status > 499)
    throw new Error(`Expected the receiver to refuse a request without a signature with a 4xx, got ${status}.`)
}
