// Names that a snippet of JavaScript may use without defining them, because the page has introduced them before: created when they are used.
import { writeFileSync } from 'node:fs'

const day = 24 * 60 * 60_000
const url = 'https://acme.example/hooks'
const made = []
let request = null

/** Each name, and how it is created. */
export const given = {
  Posthorn: async () => (await import('posthorn')).Posthorn,
  sqlite: async () => (await import('posthorn/sqlite')).sqlite,
  postgres: async () => (await import('posthorn/postgres')).postgres,
  handler: async () => (await import('posthorn/server')).handler,
  toNodeListener: async () => (await import('posthorn/server')).toNodeListener,
  DatabaseSync: async () => (await import('@photostructure/sqlite')).DatabaseSync,
  Svix: async () => (await import('svix')).Svix,
  z: async () => (await import('zod')).z,
  express: async () => (await import('express')).default,
  expect: () => expectation,
  store: async () => (await import('posthorn/sqlite')).sqlite(':memory:', { plaintextSecrets: true }),
  posthorn: () => started(),
  endpoint: async () => (await started()).endpoints.create({ application: 'acme', url }),
  pool: async () => new (await import('pg')).default.Pool({ connectionString: process.env.DATABASE_URL }),
  app: async () => (await import('./stand-ins.js')).bothKindsOfApp(),
  id: () => deadLetter(),
  key: () => process.env.POSTHORN_KEY ?? 'a key',
  clientSecret: () => 'a-secret-of-the-token-endpoint',
  csv: () => 'id;paid\n7;true\n',
  tomorrow: () => Date.now() + day,
  page: () => () => undefined,
  whoIsSignedIn: () => () => ({ id: 'user_ada', name: 'Ada', applicationId: null, access: 'write' }),
  rawBody: async () => (await signed()).body,
  request: async () => ({ headers: (await signed()).headers }),
}

/** One for the whole snippet, started, with `acme` as a customer. */
async function started() {
  if (made.length > 0) return made[0]
  const { Posthorn } = await import('posthorn')
  const posthorn = new Posthorn({ store: await ownStore() })
  made.push(posthorn)
  await posthorn.start()
  await posthorn.endpoints.create({ application: 'acme', url })
  return posthorn
}

/** In the snippet's own PostgreSQL, if it has one. */
async function ownStore() {
  const { DATABASE_URL } = process.env
  if (DATABASE_URL === undefined) return given.store()
  return (await import('posthorn/postgres')).postgres(DATABASE_URL, { plaintextSecrets: true })
}

async function deadLetter() {
  const posthorn = await started()
  const { id } = await posthorn.endpoints.create({ application: 'acme', url, status: 'paused' })
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })
  await posthorn.cancel({ endpointId: id })
  const [dead] = await posthorn.deliveries.list({ status: 'dead' })
  await posthorn.endpoints.resume(id)
  return dead.id
}

/** One request as Posthorn signs it, with the secret from the environment. */
function signed() {
  request ??= sign()
  return request
}

async function sign() {
  const { Webhook } = await import('standardwebhooks')
  const at = new Date()
  const body = JSON.stringify({ type: 'invoice.paid', timestamp: at.toISOString(), data: { id: 7 } })
  const signature = new Webhook(process.env.WEBHOOK_SECRET).sign('msg_1', at, body)
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': signature,
  }
  return { body, headers }
}

function expectation(value) {
  const same = (wanted) => {
    if (JSON.stringify(value) !== JSON.stringify(wanted))
      throw new Error(`Expected ${JSON.stringify(wanted)}, got ${JSON.stringify(value)}.`)
  }
  return { toBe: same, toEqual: same, toHaveLength: (length) => expectation(value.length).toBe(length) }
}

/** Waits until nothing is under way, and complains about sent messages that have not arrived; then stops what the snippet started. */
export async function finish(declared, { isTest, sends }) {
  for (const posthorn of new Set([declared, ...made].filter((one) => one !== undefined))) {
    if (!isTest) await arrived(posthorn, sends)
    await posthorn.stop?.()
  }
  writeFileSync(process.env.DOCS_CHECK_DONE, 'done')
  process.exit(0)
}

async function arrived(posthorn, sends) {
  let isStopped = false
  try {
    await posthorn.overview()
  } catch (thrown) {
    isStopped = thrown.code === 'stopped'
  }
  if (isStopped) return
  await posthorn.start()
  const end = Date.now() + 30_000
  for (;;) {
    const open = await posthorn.deliveries.list({ status: ['pending', 'failed'] })
    const due = open.filter(({ nextRetryAt }) => nextRetryAt === null || nextRetryAt <= Date.now())
    if (due.length === 0) break
    if (Date.now() > end)
      throw new Error(`What was sent has not arrived: ${(await posthorn.deliveries.why(due[0].id)).sentence}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const [delivered] = await posthorn.deliveries.list({ status: 'delivered' })
  if (sends && delivered === undefined)
    throw new Error('Expected what the snippet sends to reach an endpoint, and nothing has.')
}
