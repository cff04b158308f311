import { createPublicKey } from 'node:crypto'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { defaultBodyHeader, ed25519Key, hmacSecret, signatureHeaders } from '../../src/core/signing/signature.ts'
import type { SignatureScheme } from '../../src/core/signing/signature.ts'
import { verifyBodySignature, verifySignature } from '../../src/core/signing/verify.ts'
import { verify } from '../../src/verify.ts'
import { thrownBy } from './thrown.ts'

const now = 1_700_000_000_000
const messageId = 'msg_0000000000000000001'
const hmac = hmacSecret(Buffer.alloc(32, 1))
const other = hmacSecret(Buffer.alloc(32, 2))
const signingKey = `whsk_${Buffer.alloc(32, 3).toString('base64')}`
const publicKey = `whpk_${Buffer.from(createPublicKey(ed25519Key(signingKey)).export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')}`

function signed(
  body: Uint8Array,
  value: string,
  scheme: SignatureScheme = 'standard',
  at = now,
  prefix = 'webhook',
): Record<string, string> {
  const secrets = [{ id: 'sec_0000000000000000001', value, createdAt: 0, expiresAt: null }]
  return signatureHeaders({ scheme, bodyHeader: defaultBodyHeader, prefix, secrets, messageId, body, now: at })
}

describe('verifySignature', () => {
  const pairs = fc.constantFrom<[string, string]>([hmac, hmac], [signingKey, signingKey], [signingKey, publicKey])

  test('accepts what was signed, byte for byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), pairs, (body, [signer, verifier]) => {
        expect(verifySignature(body, signed(body, signer), verifier, { now })).toEqual({
          messageId,
          timestamp: now / 1000,
        })
      }),
    )
  })

  test('refuses any body of which a bit was flipped', () => {
    const flip = fc.record({
      body: fc.uint8Array({ minLength: 1, maxLength: 100 }),
      at: fc.nat(),
      bit: fc.nat({ max: 7 }),
    })
    fc.assert(
      fc.property(flip, pairs, ({ body, at, bit }, [signer, verifier]) => {
        const changed = Uint8Array.from(body)
        changed[at % body.length]! ^= 1 << bit
        expect(thrownBy(() => verifySignature(changed, signed(body, signer), verifier, { now })).code).toBe(
          'invalid_signature',
        )
      }),
    )
  })

  test('refuses any signature of which a character was changed', () => {
    const body = Buffer.from('hello')
    fc.assert(
      fc.property(pairs, fc.nat(), ([signer, verifier], place) => {
        const headers = signed(body, signer)
        const text = headers['webhook-signature']!
        const at = text.indexOf(',') + 1 + (place % 40)
        const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
        const call = (): unknown =>
          verifySignature(body, { ...headers, 'webhook-signature': changed }, verifier, { now })
        expect(thrownBy(call).code).toBe('invalid_signature')
      }),
    )
  })

  test.each([
    ['webhook', undefined],
    ['svix', undefined],
    ['acme-hook', 'acme-hook'],
    ['svix', 'acme-hook'],
  ])('finds headers that begin with %s if told of %s', (used, prefix) => {
    const body = Buffer.from('{"id":7}')
    const headers = signed(body, hmac, 'standard', now, used)
    expect(Object.keys(headers)).toEqual([`${used}-id`, `${used}-timestamp`, `${used}-signature`])
    expect(verifySignature(body, headers, hmac, { now, ...(prefix === undefined ? {} : { prefix }) }).messageId).toBe(
      messageId,
    )
  })

  test('does not find headers under a prefix that nobody told it of, and says which it looked for', () => {
    const body = Buffer.from('{"id":7}')
    const headers = signed(body, hmac, 'standard', now, 'acme-hook')
    expect(thrownBy(() => verifySignature(body, headers, hmac, { now })).message).toContain('`webhook-id`')
    expect(thrownBy(() => verifySignature(body, headers, hmac, { now, prefix: 'other' })).message).toContain(
      '`other-id`',
    )
  })

  test('accepts what the independent package signed, and the reverse', () => {
    const text = '{"type":"invoice.paid"}'
    const theirs = {
      'webhook-id': messageId,
      'webhook-timestamp': String(now / 1000),
      'webhook-signature': new Webhook(hmac).sign(messageId, new Date(now), text),
    }
    expect(verifySignature(text, theirs, hmac, { now })).toMatchObject({ messageId })
    expect(signed(Buffer.from(text), hmac)).toEqual(theirs)
  })

  const body = Buffer.from('{"id":7}')
  const good = signed(body, hmac)

  test.each([
    ['text', '{"id":7}', good],
    ['bytes', body, good],
    [
      'names in another case',
      body,
      Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    ['web headers', body, new Headers(good)],
    ['lists of values', body, Object.fromEntries(Object.entries(good).map(([name, value]) => [name, [value]]))],
    [
      'another signature before it',
      body,
      { ...good, 'webhook-signature': `v1,AAAA v2,x ${good['webhook-signature']}` },
    ],
  ])('takes %s', (_, given, headers) => {
    expect(verifySignature(given, headers, hmac, { now }).messageId).toBe(messageId)
  })

  test.each([
    ['another secret', good, other],
    ['another id', { ...good, 'webhook-id': 'msg_2' }, hmac],
    ['another timestamp', { ...good, 'webhook-timestamp': String(now / 1000 + 1) }, hmac],
    ['a signature of nothing', { ...good, 'webhook-signature': 'v1,' }, hmac],
    ['an hmac where a key is wanted', good, signingKey],
    ['a short ed25519 signature', { ...good, 'webhook-signature': 'v1a,AAAA' }, publicKey],
    ['an ed25519 signature where an hmac is wanted', signed(body, signingKey), hmac],
  ])('refuses %s, and says what to look at, without the secret', (_, headers, secret) => {
    const error = thrownBy(() => verifySignature(body, headers, secret, { now }))
    expect(error.code).toBe('invalid_signature')
    expect(error.message).toContain('No signature in `webhook-signature` matches this body and secret')
    expect(error.message).not.toContain(secret.slice(6))
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a request without %s by name',
    (name) => {
      for (const value of [undefined, '', []]) {
        const error = thrownBy(() => verifySignature(body, { ...good, [name]: value }, hmac, { now }))
        expect(error.code).toBe('invalid_signature')
        expect(error.message).toContain(`Expected the header \`${name}\`, and it is missing.`)
      }
      const web = new Headers(good)
      web.delete(name)
      expect(thrownBy(() => verifySignature(body, web, hmac, { now })).message).toContain(`\`${name}\``)
    },
  )

  test.each(['yesterday', '-5', '1e9', '1700000000.5', '9999999999999'])('refuses a timestamp of %s', (timestamp) => {
    const error = thrownBy(() => verifySignature(body, { ...good, 'webhook-timestamp': timestamp }, hmac, { now }))
    expect(error.code).toBe('invalid_signature')
    expect(error.message).toBe(`Expected \`webhook-timestamp\` to be seconds since the epoch, got "${timestamp}".`)
  })

  test.each([
    [300, undefined, true],
    [-300, undefined, true],
    [301, undefined, false],
    [-301, undefined, false],
    [5, 5, true],
    [6, 5, false],
  ])('a signature that is %d s old, with a tolerance of %s', (ageSeconds, toleranceSeconds, accepted) => {
    const options = { now: now + ageSeconds * 1000, ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }) }
    const call = (): unknown => verifySignature(body, good, hmac, options)
    if (accepted) return expect(call()).toMatchObject({ messageId })
    const error = thrownBy(call)
    expect(error.code).toBe('stale_signature')
    expect(error.message).toContain(`within ${toleranceSeconds ?? 300} s of now, got "${Math.abs(ageSeconds)} s away"`)
  })

  test.each([
    ['another kind of text', 'hunter2-hunter2'],
    ['a public key of another length', `whpk_${Buffer.alloc(31).toString('base64')}`],
    ['a signing key of another length', `whsk_${Buffer.alloc(31).toString('base64')}`],
    ['an hmac secret that is too short', `whsec_${Buffer.alloc(8).toString('base64')}`],
    ['nothing', ''],
  ])('refuses %s as a secret, without repeating it', (_, secret) => {
    const error = thrownBy(() => verifySignature(body, good, secret, { now }))
    expect(error.code).toBe('invalid_secret')
    expect(error.message).toContain('Expected `secret` to be ')
    if (secret !== '') expect(error.message).not.toContain(secret.slice(5, 12))
  })
})

describe('verifyBodySignature', () => {
  const body = Buffer.from('{"id":7}')
  const headers = signed(body, hmac, 'body')

  test('accepts the body it was made of, and no other', () => {
    expect(() => verifyBodySignature(body, headers, hmac)).not.toThrow()
    expect(() => verifyBodySignature('{"id":7}', headers, hmac)).not.toThrow()
    expect(thrownBy(() => verifyBodySignature('{"id":8}', headers, hmac)).code).toBe('invalid_signature')
    expect(thrownBy(() => verifyBodySignature(body, headers, other)).message).toContain(
      'No signature in `x-webhook-signature` matches',
    )
  })

  test('finds its header under any name and in any case', () => {
    const value = headers[defaultBodyHeader]
    expect(() => verifyBodySignature(body, { 'X-Gateway-Signature': value }, hmac, 'X-Gateway-Signature')).not.toThrow()
    expect(() => verifyBodySignature(body, { 'x-gateway-signature': value }, hmac, 'X-Gateway-Signature')).not.toThrow()
    expect(thrownBy(() => verifyBodySignature(body, {}, hmac, 'X-Gateway-Signature')).message).toContain(
      '`X-Gateway-Signature`',
    )
  })

  test('refuses a signing key, and leaves that key usable', () => {
    const fresh = `whsk_${Buffer.alloc(32, 77).toString('base64')}`
    const error = thrownBy(() => verifyBodySignature(body, headers, fresh))
    expect(error.code).toBe('invalid_secret')
    expect(error.message).toBe('Expected `secret` to be a secret that begins whsec_, got "another kind".')
    expect(verifySignature(body, signed(body, fresh), fresh, { now }).messageId).toBe(messageId)
  })
})

describe("the receiver's verify", () => {
  const body = Buffer.from('{"id":7}')

  test("takes the machine's clock if no time is given", () => {
    expect(verify(body, signed(body, hmac, 'standard', Date.now()), hmac).messageId).toBe(messageId)
    expect(thrownBy(() => verify(body, signed(body, hmac), hmac)).code).toBe('stale_signature')
  })

  test('takes a time that is given', () => {
    expect(verify(body, signed(body, hmac), hmac, { now, toleranceSeconds: 0 }).timestamp).toBe(now / 1000)
  })
})
