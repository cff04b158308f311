import { strict as assert } from 'node:assert'
import { pathToFileURL } from 'node:url'

const {
  SDKS_SERVER: serverUrl,
  SDKS_KEY: key,
  SDKS_RECEIVER: receiver,
  SDKS_APP: app,
  SDKS_MODULE: module,
} = process.env
const { Svix, Webhook, messageInRaw } = await import(pathToFileURL(module).href)
const [ordinary, raw, rawType] = [
  JSON.parse(process.env.SDKS_ORDINARY),
  process.env.SDKS_RAW,
  process.env.SDKS_RAW_TYPE,
]
const svix = new Svix(key, { serverUrl })
const eventType = `tour.${app}`
let [secret, message] = ['', null]

async function received(count) {
  const list = await (await fetch(`${receiver}/receipts?path=/${app}&count=${count}`)).json()
  assert.ok(list.length >= count, `${list.length} of ${count} requests came`)
  return list[count - 1]
}

async function status(call) {
  return call.then(
    () => 200,
    (error) => error.code ?? error.status,
  )
}

const tour = {
  application: async () => assert.equal((await svix.application.create({ name: app, uid: app })).uid, app),
  'event-type': async () =>
    assert.equal((await svix.eventType.create({ name: eventType, description: 'A tour' })).name, eventType),
  endpoint: async () =>
    assert.equal((await svix.endpoint.create(app, { url: `${receiver}/${app}`, uid: 'hooks' })).uid, 'hooks'),
  secret: async () => assert.match((secret = (await svix.endpoint.getSecret(app, 'hooks')).key), /^whsec_/),
  ordinary: async () => {
    message = await svix.message.create(app, { eventType, eventId: `${app}-1`, payload: ordinary })
    assert.deepEqual(JSON.parse((await received(1)).body), ordinary)
  },
  'ordinary-signature': async () => verify(await received(1)),
  raw: async () => {
    await svix.message.create(app, messageInRaw(eventType, raw, rawType))
    assert.equal((await received(2)).body, raw)
  },
  'raw-signature': async () => verify(await received(2)),
  idempotency: async () => {
    const options = { idempotencyKey: `${app} once` }
    const [one, two] = [
      await svix.message.create(app, { eventType, payload: ordinary }, options),
      await svix.message.create(app, { eventType, payload: ordinary }, options),
    ]
    assert.equal(one.id, two.id)
    await received(3)
  },
  message: async () => assert.equal((await svix.message.get(app, `${app}-1`)).id, message.id),
  attempts: async () => {
    for (let tries = 0; tries < 100; tries += 1) {
      const { data } = await svix.messageAttempt.listByMsg(app, message.id)
      if (data.length === 1) return assert.equal(data[0].status, 0)
    }
    assert.fail('no attempt on record')
  },
  resend: async () => {
    await svix.messageAttempt.resend(app, message.id, 'hooks')
    assert.equal((await received(4)).headers['webhook-id'], message.id)
  },
  rotate: async () => {
    await svix.endpoint.rotateSecret(app, 'hooks', { gracePeriodSeconds: 0 })
    const { key: next } = await svix.endpoint.getSecret(app, 'hooks')
    assert.notEqual(next, secret)
    secret = next
  },
  'rotated-signature': async () => {
    await svix.message.create(app, { eventType, payload: ordinary })
    verify(await received(5))
  },
  portal: async () => {
    const { token } = await svix.authentication.appPortalAccess(app, {})
    assert.equal((await new Svix(token, { serverUrl }).endpoint.list(app)).data.length, 1)
  },
  'portal-refused': async () => {
    const { token } = await svix.authentication.appPortalAccess(app, {})
    assert.equal(
      await status(new Svix(token, { serverUrl }).message.create(app, { eventType, payload: ordinary })),
      403,
    )
  },
  delete: async () => {
    await svix.endpoint.delete(app, 'hooks')
    await svix.application.delete(app)
    assert.equal(await status(svix.application.get(app)), 404)
  },
}

/** `verify` reads the body as JSON, too, which a raw one need not be: the signature is made anew and compared. */
function verify({ headers, body }) {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  assert.ok(
    headers['webhook-signature'].split(' ').includes(new Webhook(secret).sign(headers['webhook-id'], at, body)),
    'the signature does not match',
  )
}

for (const [step, take] of Object.entries(tour)) {
  try {
    await take()
    console.log(`ok ${step}`)
  } catch (error) {
    console.log(`no ${step}: ${String(error?.message ?? error).split('\n')[0]}`)
  }
}
