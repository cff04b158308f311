import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { signatureReport } from '../../src/core/signing/debug/report.ts'
import type { SignatureQuestion } from '../../src/core/signing/debug/report.ts'
import { hmacSecret, signatureHeaders, signingKeyPrefix } from '../../src/core/signing/signature.ts'
import type { Secret } from '../../src/core/signing/signature.ts'

const now = 1_700_000_000_000
const first = now - 600_000
const last = now - 60_000
const body = '{"invoice": 7, "total": "1.00"}'
const secretOf = (value: string, expiresAt: number | null = null): Secret => ({
  id: 'sec_1',
  value,
  createdAt: 0,
  expiresAt,
})
const secret = secretOf(hmacSecret(randomBytes(32)))
const key = Buffer.from(secret.value.slice('whsec_'.length), 'base64')
const message = { id: 'msg_1', eventId: 'order-7', body: Buffer.from(body) }

function question(headers: string, more: Partial<SignatureQuestion> = {}): SignatureQuestion {
  return {
    message,
    deliveryId: 'dlv_1',
    attempts: [
      { number: 1, startedAt: first },
      { number: 2, startedAt: last },
    ],
    endpoint: { secrets: [secret], signature: 'standard', bodyHeader: 'x-webhook-signature' },
    headers,
    body: null,
    now,
    ...more,
  }
}

const report = (headers: string, more: Partial<SignatureQuestion> = {}) => signatureReport(question(headers, more))

/** What an attempt sent, a header per line. */
function sentHeaders(at: number, secrets: readonly Secret[] = [secret], scheme: 'standard' | 'body' = 'standard') {
  const input = { scheme, bodyHeader: 'x-webhook-signature', prefix: 'webhook', secrets, messageId: 'msg_1', now: at }
  return signatureHeaders({ ...input, body: message.body })
}

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

/** The signature of a content, in the form of the header. */
const signed = (content: string, by: Buffer | string = key): string =>
  `v1,${createHmac('sha256', by).update(content).digest('base64')}`
const seconds = (at: number): string => String(Math.floor(at / 1000))
const right = `msg_1.${seconds(last)}.${body}`

describe('what was sent', () => {
  test.each([
    ['as headers', lines(sentHeaders(first)), 'attempt 1'],
    ['as the signature alone', sentHeaders(last)['webhook-signature'] ?? '', 'attempt 2'],
    ['as JSON on one line', JSON.stringify(sentHeaders(last)), 'attempt 2'],
    ['as flags of curl', lines(sentHeaders(last)).replaceAll(/^(.*)$/gm, "-H '$1' \\"), 'attempt 2'],
    ['without the version', (sentHeaders(last)['webhook-signature'] ?? '').slice(3), 'attempt 2'],
  ])('is recognized %s', (_form, pasted, attempt) => {
    expect(report(pasted, { body })).toEqual({
      verdict: 'match',
      sentence: `This is the signature of what ${attempt} sent, made with a secret of this endpoint.`,
      findings: [],
    })
  })

  test('is recognized by any of several signatures, and by ed25519', () => {
    const ed25519 = secretOf(signingKeyPrefix + randomBytes(32).toString('base64'))
    const secrets = [ed25519, secret]
    const pasted = `v1,${'A'.repeat(43)}= ${sentHeaders(last, [ed25519])['webhook-signature']}`
    const endpoint = { secrets, signature: 'standard', bodyHeader: 'x' } as const
    expect(report(pasted, { endpoint })).toMatchObject({ verdict: 'match' })
    expect(report(pasted)).toMatchObject({ verdict: 'mismatch' })
  })

  test('is recognized by the signature of the bare body, where that is the scheme', () => {
    const pasted = sentHeaders(last, [secret], 'body')['x-webhook-signature'] ?? ''
    const endpoint = { secrets: [secret], signature: 'body', bodyHeader: 'x-webhook-signature' } as const
    expect(report(`X-Webhook-Signature: ${pasted}`, { endpoint })).toMatchObject({
      verdict: 'match',
      sentence: expect.stringContaining('the body that we sent'),
    })
    expect(report(pasted)).toMatchObject({ verdict: 'mismatch', findings: [{ code: 'content' }] })
  })

  test('with a secret that has expired since is not what the customer should verify with', () => {
    const old = secretOf(secret.value, now - 1)
    const endpoint = { secrets: [old], signature: 'standard', bodyHeader: 'x' } as const
    expect(report(signed(right), { endpoint })).toMatchObject({
      verdict: 'mismatch',
      findings: [{ code: 'expired_secret' }],
    })
  })

  test('pasted with CRLF as LF, as a browser does, is the same body', () => {
    const crlf = '{\r\n"a": 1\r\n}'
    const content = `msg_1.${seconds(last)}.${crlf}`
    const given = { message: { ...message, body: Buffer.from(crlf) }, body: crlf.replaceAll('\r\n', '\n') }
    expect(report(signed(content), given)).toMatchObject({ verdict: 'match', findings: [] })
  })
})

describe('what differs is named', () => {
  test.each([
    ['the body alone', signed(body), 'content'],
    ['timestamp and body', signed(`${seconds(last)}.${body}`), 'content'],
    ['the id of the event', signed(`order-7.${seconds(last)}.${body}`), 'id'],
    ['the id of the delivery', signed(`dlv_1.${seconds(last)}.${body}`), 'id'],
    ['milliseconds', signed(`msg_1.${Number(seconds(last)) * 1000}.${body}`), 'timestamp'],
    ['JSON that was written again', signed(`msg_1.${seconds(last)}.${JSON.stringify(JSON.parse(body))}`), 'body'],
    ['a line end behind the body', signed(`${right}\n`), 'body'],
    ['the secret as text', signed(right, secret.value), 'secret_encoding'],
    ['the secret without its prefix, as text', signed(right, secret.value.slice(6)), 'secret_encoding'],
  ])('if it was computed with %s', (_mistake, pasted, code) => {
    const { verdict, findings } = report(pasted)
    expect([verdict, findings.map((each) => each.code)]).toEqual(['mismatch', [code]])
  })

  test('if it is hex where base64 is expected', () => {
    const hex = createHmac('sha256', key).update(right).digest('hex')
    expect(report(hex)).toMatchObject({ verdict: 'mismatch', findings: [{ code: 'encoding', pasted: 'hex' }] })
  })

  test('if the body was changed on the way, with its first byte that differs', () => {
    const received = body.replace('7', '8')
    expect(report(signed(right), { body: received })).toMatchObject({
      verdict: 'mismatch',
      sentence: expect.stringContaining('so the secret is right'),
      findings: [
        {
          code: 'body',
          sentence: expect.stringContaining('byte 12'),
          sent: expect.stringMatching(/^"7/),
          pasted: expect.stringMatching(/^"8/),
        },
      ],
    })
  })

  test('if another body was signed with the right secret', () => {
    const other = `${body} `
    const { sentence, findings } = report(signed(`msg_1.${seconds(last)}.${other}`), { body: other })
    expect(sentence).toContain('The secret is right')
    expect(findings.map(({ code }) => code)).toContain('body')
    expect(findings[0]?.sentence).toContain('White space was added at the end.')
  })

  test.each([
    ['the same JSON', JSON.stringify(JSON.parse(body)), 'same JSON'],
    ['a byte order mark', `\ufeff${body}`, 'byte order mark'],
    ['less white space', body.trimEnd(), 'White space at the end is missing'],
  ])('if the body is %s', (_what, pasted, hint) => {
    const sent = { ...message, body: Buffer.from(`${body}\n`) }
    const given = { message: hint.includes('missing') ? sent : message, body: pasted }
    expect(report(signed('x'), given).findings[0]?.sentence).toContain(hint)
  })

  test('if id and timestamp are those of something else', () => {
    const pasted = lines({ ...sentHeaders(last), 'webhook-id': 'msg_2', 'webhook-timestamp': '1600000000' })
    expect(report(pasted).findings).toMatchObject([
      { code: 'id', sent: 'msg_1', pasted: 'msg_2' },
      { code: 'timestamp', pasted: '1600000000', sent: `${seconds(first)}, ${seconds(last)}` },
    ])
    const replayed = lines({
      'webhook-timestamp': '1600000000',
      'webhook-signature': signed(`msg_1.1600000000.${body}`),
    })
    expect(report(replayed)).toMatchObject({ sentence: expect.stringContaining('The secret is right') })
  })

  test('if only the secret is left', () => {
    const foreign = signed(right, randomBytes(32))
    expect(report(foreign, { body })).toMatchObject({ verdict: 'mismatch', findings: [{ code: 'secret' }] })
    expect(report(foreign)).toMatchObject({ findings: [], sentence: expect.stringContaining('Paste the body') })
    expect(report(foreign, { body: 'other' })).toMatchObject({ findings: [{ code: 'body' }] })
  })
})

test.each(['', 'hello', 'webhook-id: msg_1', 'v1,short', 'webhook-signature:'])('%j is no signature', (pasted) => {
  expect(report(pasted)).toMatchObject({ verdict: 'unreadable', findings: [] })
})

test('no secret, and no signature that was not pasted, is in any report', () => {
  for (const pasted of [signed(right), signed(body), signed('x'), lines(sentHeaders(first))]) {
    const text = JSON.stringify(report(pasted, { body: 'other' }))
    expect(text).not.toContain(secret.value.slice(6, 16))
    expect(text).not.toMatch(/[\w+/]{43}=/)
  }
})
