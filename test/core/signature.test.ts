import { createHash, createHmac, generateKeyPairSync, verify as verifyBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  checkHeaderPrefix,
  checkSecret,
  defaultBodyHeader,
  ed25519Key,
  hmacSecret,
  signatureHeaders,
} from '../../src/core/signing/signature.ts'
import type { Secret, SignatureInput } from '../../src/core/signing/signature.ts'
import { thrownBy } from './thrown.ts'

// The independent verifier reads the machine's clock, so the time of these attempts is the machine's.
const now = Date.now()
const older = secretOf('older')
const newer = secretOf('newer')
const body = Buffer.from('{"type":"invoice.paid","data":{"id":7,"text":"größe ✓"}}')

function secretOf(seed: string): string {
  return hmacSecret(createHash('sha256').update(seed).digest())
}

function secret(value: string, expiresAt: number | null = null): Secret {
  return { id: 'sec_0000000000000000001', value, createdAt: 0, expiresAt }
}

function sign(over: Partial<SignatureInput> = {}): Record<string, string> {
  return signatureHeaders({
    scheme: 'standard',
    bodyHeader: defaultBodyHeader,
    prefix: 'webhook',
    secrets: [secret(newer)],
    messageId: 'msg_0000000000000000001',
    body,
    now,
    ...over,
  })
}

function bodyHmac(value: string): string {
  return `sha256=${createHmac('sha256', Buffer.from(value.slice('whsec_'.length), 'base64'))
    .update(body)
    .digest('hex')}`
}

function base64(length: number): string {
  return Buffer.alloc(length, 9).toString('base64')
}

describe('v1', () => {
  test('is made by the ten newest secrets at most', () => {
    const secrets = Array.from({ length: 12 }, (_, age) => secret(secretOf(String(age))))
    const signatures = (sign({ secrets })['webhook-signature'] ?? '').split(' ')
    expect(signatures).toHaveLength(10)
    expect(sign({ secrets: secrets.slice(0, 10) })['webhook-signature']?.split(' ')).toEqual(signatures)
  })

  test('carries the id of the message and the second of the attempt', () => {
    expect(sign({ now: 1_700_000_000_999 })).toMatchObject({
      'webhook-id': 'msg_0000000000000000001',
      'webhook-timestamp': '1700000000',
    })
  })

  test('is the HMAC-SHA256 of id.timestamp.body under the decoded secret', () => {
    const headers = sign({ now: 1_700_000_000_000 })
    const key = Buffer.from(newer.slice('whsec_'.length), 'base64')
    const hmac = createHmac('sha256', key)
      .update(`msg_0000000000000000001.1700000000.${body.toString()}`)
      .digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${hmac}`)
  })

  test('is accepted by an independent verifier, for any text and secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array({ minLength: 24, maxLength: 64 }), (text, bytes) => {
        const value = hmacSecret(bytes)
        const json = JSON.stringify({ text })
        const headers = sign({ body: Buffer.from(json), secrets: [secret(value)] })
        expect(new Webhook(value).verify(json, headers)).toEqual({ text })
      }),
    )
  })

  test('is refused by the independent verifier when a byte was changed', () => {
    expect(() => new Webhook(newer).verify(`${body.toString()} `, sign())).toThrow('No matching signature found')
  })

  test('signs once per live secret, so that old and new verify during a rotation', () => {
    const headers = sign({ secrets: [secret(newer), secret(older, now + 1)] })
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2)
    for (const value of [newer, older])
      expect(new Webhook(value).verify(body.toString(), headers)).toMatchObject({ type: 'invoice.paid' })
  })

  test.each([
    ['at its end', now],
    ['after its end', now - 1],
  ])('leaves out a secret %s', (_, expiresAt) => {
    const headers = sign({ secrets: [secret(newer), secret(older, expiresAt)] })
    expect(headers).toEqual(sign())
    expect(() => new Webhook(older).verify(body.toString(), headers)).toThrow('No matching signature found')
  })

  test('has no body header of its own', () => {
    expect(Object.keys(sign())).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
  })
})

describe('v1a', () => {
  const pair = generateKeyPairSync('ed25519')
  const privateJwk = pair.privateKey.export({ format: 'jwk' })
  const seed = Buffer.from(privateJwk.d ?? '', 'base64url')
  const publicBytes = Buffer.from(privateJwk.x ?? '', 'base64url')

  test.each([
    ['a seed', `whsk_${seed.toString('base64')}`],
    ['a seed and its public key', `whsk_${Buffer.concat([seed, publicBytes]).toString('base64')}`],
  ])('is the ed25519 signature of id.timestamp.body under %s', (_, value) => {
    const headers = sign({ secrets: [secret(value)], now: 1_700_000_000_000 })
    const signature = Buffer.from(headers['webhook-signature']?.slice('v1a,'.length) ?? '', 'base64')
    const content = Buffer.from(`msg_0000000000000000001.1700000000.${body.toString()}`)
    expect(headers['webhook-signature']).toMatch(/^v1a,/)
    expect(verifyBytes(null, content, pair.publicKey, signature)).toBe(true)
    expect(verifyBytes(null, Buffer.concat([content, Buffer.from(' ')]), pair.publicKey, signature)).toBe(false)
  })

  test('stands beside v1 while an endpoint has secrets of both kinds', () => {
    const headers = sign({ secrets: [secret(`whsk_${seed.toString('base64')}`), secret(newer)] })
    expect(headers['webhook-signature']?.split(' ').map((each) => each.split(',')[0])).toEqual(['v1a', 'v1'])
    expect(new Webhook(newer).verify(body.toString(), headers)).toMatchObject({ type: 'invoice.paid' })
  })

  test('reads the same key from the same secret', () => {
    expect(ed25519Key(`whsk_${seed.toString('base64')}`).equals(pair.privateKey)).toBe(true)
  })
})

describe('the body scheme', () => {
  test('adds the hex HMAC of the bare body under the configured name', () => {
    const headers = sign({ scheme: 'body', bodyHeader: 'x-gateway-signature' })
    expect(headers['x-gateway-signature']).toBe(bodyHmac(newer))
    expect(headers).toMatchObject(sign())
  })

  test('keeps the previous secret until the overlap ends', () => {
    const secrets = [secret(newer), secret(older, now + 1)]
    expect(sign({ scheme: 'body', secrets })[defaultBodyHeader]).toBe(bodyHmac(older))
    expect(sign({ scheme: 'body', secrets, now: now + 1 })[defaultBodyHeader]).toBe(bodyHmac(newer))
  })

  test('is refused without an HMAC secret', () => {
    const error = thrownBy(() =>
      sign({ scheme: 'body', secrets: [secret(`whsk_${Buffer.alloc(32, 7).toString('base64')}`)] }),
    )
    expect(error.code).toBe('invalid_secret')
    expect(error.message).toBe('Expected `secrets` to be a whsec_ secret for the body signature, got "only whsk_".')
  })
})

test.each([
  ['none at all', []],
  ['none that lives', [secret(newer, now)]],
])('an attempt with secrets, but %s, is refused', (_, secrets) => {
  const error = thrownBy(() => sign({ secrets }))
  expect(error.code).toBe('invalid_secret')
  expect(error.message).toContain('Expected `secrets` to be at least one secret that has not ended')
  expect(error.message).not.toContain(newer)
})

describe('checkSecret', () => {
  test.each([
    `whsec_${base64(24)}`,
    `whsec_${base64(32)}`,
    `whsec_${base64(64)}`,
    `whsk_${base64(32)}`,
    `whsk_${base64(64)}`,
  ])('takes %s', (value) => {
    expect(checkSecret(value)).toBe(value)
  })

  test.each([
    ['too short', `whsec_${base64(23)}`],
    ['too long', `whsec_${base64(65)}`],
    ['a signing key of another length', `whsk_${base64(33)}`],
    ['a public key', `whpk_${base64(32)}`],
    ['no prefix', base64(32)],
    ['another alphabet', `whsec_${'-_'.repeat(16)}`],
    ['padding that is missing', `whsec_${base64(32).slice(0, -1)}`],
    ['a line break at the end', `whsec_${base64(33)}\n`],
    ['a password', 'hunter2'],
    ['empty', ''],
  ])('refuses one that is %s, and does not repeat any of it', (_, value) => {
    const error = thrownBy(() => checkSecret(value))
    expect(error.code).toBe('invalid_secret')
    expect(error.message).toContain(`got "${value.length} characters". Leave it out and Posthorn makes one.`)
    for (const piece of [value.slice(0, 7), value.slice(-7)])
      if (piece.length === 7) expect(error.message).not.toContain(piece)
  })

  test.each([undefined, null, 7, { value: 'whsec_' }])('refuses %s', (value) => {
    expect(thrownBy(() => checkSecret(value)).code).toBe('invalid_secret')
  })
})

describe('checkHeaderPrefix', () => {
  test.each(['webhook', 'svix', 'acme-2', 'x-acme'])('takes %s', (prefix) =>
    expect(checkHeaderPrefix(prefix)).toBe(prefix),
  )

  test('lowers the case, as header names are compared', () => expect(checkHeaderPrefix('Acme')).toBe('acme'))

  test.each(['', '-', 'acme-', '-acme', 'a b', 'a--b', 'a:b', 'ü', 'x'.repeat(51), 7, null])('refuses %j', (prefix) => {
    expect(thrownBy(() => checkHeaderPrefix(prefix)).message).toContain('`headerPrefix`')
  })
})
