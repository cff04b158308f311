import { testPosthorn } from 'posthorn/testing'
import { verify, verifyBodySignature } from 'posthorn/verify'
import { onTestFinished } from 'vitest'
import { hmacSecret, signatureHeaders } from '../../src/core/signing/signature.ts'
import { hour } from '../../src/core/time.ts'
import { defence } from './defence.ts'

const now = 1_700_000_000_000
const secret = hmacSecret(Buffer.alloc(32, 1))
const body = Buffer.from('{"amount":100}')
const headers = signatureHeaders({
  scheme: 'body',
  bodyHeader: 'x-webhook-signature',
  prefix: 'webhook',
  secrets: [{ id: 'sec_0000000000000000001', value: secret, createdAt: 0, expiresAt: null }],
  messageId: 'msg_0000000000000000001',
  body,
  now,
})

defence('signatures: a captured request, repeated an hour later', async (isOn) =>
  accepts(() => verify(body, headers, secret, { now: now + hour, ...(!isOn && { toleranceSeconds: Infinity }) })),
)

for (const [name, value] of [
  ['webhook-id', 'msg_0000000000000000002'],
  ['webhook-timestamp', String(now / 1_000 + 60)],
] as const) {
  defence(`signatures: a captured body under another ${name}`, async (isOn) => {
    const forged = { ...headers, [name]: value }
    // The bare body is all that the other scheme signs.
    return accepts(() => (isOn ? verify(body, forged, secret, { now }) : verifyBodySignature(body, forged, secret)))
  })
}

defence('signatures: a signature that somebody made who does not know the secret', async (isOn) => {
  const known = isOn ? hmacSecret(Buffer.alloc(32, 2)) : secret
  const forged = signatureHeaders({
    scheme: 'standard',
    bodyHeader: 'x-webhook-signature',
    prefix: 'webhook',
    secrets: [{ id: 'sec_0000000000000000002', value: known, createdAt: 0, expiresAt: null }],
    messageId: 'msg_0000000000000000002',
    body: Buffer.from('{"amount":1000000}'),
    now,
  })
  return accepts(() => verify('{"amount":1000000}', forged, secret, { now }))
})

defence('signatures: a rotation that leaves receivers with a secret nobody signs by', async (isOn) => {
  const { posthorn, clock, sent, settled } = await testPosthorn()
  onTestFinished(() => posthorn.stop())
  const endpoint = await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks', secret })
  await posthorn.endpoints.rotateSecret(endpoint.id, isOn ? {} : { overlapMs: 0 })
  const created = await posthorn.endpoints.revealSecret(endpoint.id)
  await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
  await settled()
  const [request] = sent()
  const isVerified = (by: string): boolean =>
    request !== undefined && accepts(() => verify(request.body, request.headers, by, { now: clock.now() }))
  if (!isVerified(created)) throw new Error('Expected the new secret to verify what it signed.')
  return !isVerified(secret)
})

function accepts(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}
