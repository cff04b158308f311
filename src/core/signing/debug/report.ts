import type { Attempt } from '../../delivery/attempt.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { Message } from '../../message/message.ts'
import type { Instant } from '../../time.ts'
import { bodyDifference } from './body-difference.ts'
import { contentOf, idMistakes, mistakesAround, signerOf } from './mistakes.ts'
import type { Content, Mistake } from './mistakes.ts'
import { readPasted } from './pasted.ts'
import type { Pasted } from './pasted.ts'

/** The differences between what a customer has and what was sent. It contains no secrets, and no signature that was not sent. */
export interface SignatureReport {
  readonly verdict: 'match' | 'mismatch' | 'unreadable'
  readonly sentence: string
  readonly findings: readonly SignatureFinding[]
}

interface SignatureFinding {
  readonly code: 'id' | 'timestamp' | 'body' | 'content' | 'encoding' | 'secret' | 'secret_encoding' | 'expired_secret'
  readonly sentence: string
  readonly sent: string | null
  readonly pasted: string | null
}

export interface SignatureQuestion {
  readonly message: Pick<Message, 'id' | 'eventId' | 'body'>
  readonly deliveryId: string
  readonly attempts: readonly Pick<Attempt, 'number' | 'startedAt'>[]
  readonly endpoint: Pick<Endpoint, 'secrets' | 'signature' | 'bodyHeader'>
  /** Headers or a signature, as pasted. */
  readonly headers: string
  /** The body as pasted; null if it was not. */
  readonly body: string | null
  readonly now: Instant
}

/** A delivery may have been requeued often; the last attempts are enough for debugging. */
const mostAttempts = 20

/** Lists the differences. */
export function signatureReport(question: SignatureQuestion): SignatureReport {
  const { endpoint, headers } = question
  const pasted = readPasted(headers, endpoint.bodyHeader)
  if (pasted.signatures.length === 0)
    return {
      verdict: 'unreadable',
      sentence: 'Expected a signature, such as v1,K5oZ… or the headers with one, but found none in the pasted text.',
      findings: [],
    }
  const differences = directDifferences(question, pasted)
  const known = knownSigner(question, pasted)
  if (known !== null) return ofKnown(known, differences)
  const mistake = foundMistake(question, pasted)
  if (mistake !== null)
    return {
      verdict: 'mismatch',
      sentence: mistake.sentence,
      findings: [...differences.filter(({ code }) => code !== mistake.code || code === 'body'), finding(mistake)],
    }
  return ofUnknown(question, differences)
}

/** What can be checked without a signature. */
function directDifferences({ message, attempts, body }: SignatureQuestion, pasted: Pasted): SignatureFinding[] {
  const findings: SignatureFinding[] = []
  if (pasted.id !== null && pasted.id !== message.id)
    findings.push({ code: 'id', sentence: 'The id is not that of this message.', sent: message.id, pasted: pasted.id })
  const times = attempts.map(timestampOf)
  if (pasted.timestamp !== null && !times.includes(pasted.timestamp))
    findings.push({
      code: 'timestamp',
      sentence: /^\d{13}$/.test(pasted.timestamp)
        ? 'The timestamp is in milliseconds; ours is in seconds.'
        : 'No attempt of this delivery was made with this timestamp.',
      sent: times.slice(-3).join(', '),
      pasted: pasted.timestamp,
    })
  const difference = body === null ? null : bodyDifference(message.body, Buffer.from(body))
  if (difference !== null)
    findings.push({
      code: 'body',
      sentence: `The body differs from byte ${difference.at} on. ${difference.hint}`,
      sent: difference.sent,
      pasted: difference.pasted,
    })
  return findings
}

interface Known {
  readonly attempt: Pick<Attempt, 'number'> | null
  readonly encoding: SignatureFinding | null
  readonly isExpired: boolean
}

/** Whether the signature matches what an attempt sent. */
function knownSigner({ message, attempts, endpoint, now }: SignatureQuestion, pasted: Pasted): Known | null {
  const { id, body } = message
  const latest = attempts.slice(-mostAttempts).toReversed()
  const contents = latest.map((attempt) => ({
    attempt,
    content: contentOf({ id, timestamp: timestampOf(attempt), body }),
    wanted: 'base64' as const,
  }))
  const bare = { attempt: null, content: Buffer.from(body), wanted: 'hex' as const }
  for (const { attempt, content, wanted } of endpoint.signature === 'body' ? [...contents, bare] : contents) {
    const found = signerOf(pasted.signatures, endpoint.secrets, content)
    if (found === null) continue
    const { signature, secret } = found
    const isExpired = secret.expiresAt !== null && secret.expiresAt <= now
    return {
      attempt,
      encoding: signature.encoding === wanted ? null : wrongEncoding(signature.encoding, wanted),
      isExpired,
    }
  }
  return null
}

function wrongEncoding(encoding: string, wanted: string): SignatureFinding {
  const sentence = `The signature is the right one, but written as ${encoding}; in the header it is ${wanted}.`
  return { code: 'encoding', sentence, sent: wanted, pasted: encoding }
}

function ofKnown({ attempt, encoding, isExpired }: Known, differences: readonly SignatureFinding[]): SignatureReport {
  const findings = [...differences, ...(encoding === null ? [] : [encoding])]
  const of = attempt === null ? 'the body that we sent' : `what attempt ${attempt.number} sent`
  if (isExpired)
    findings.push({
      code: 'expired_secret',
      sentence: 'It was made with a secret that has expired since: the customer must verify with the new one.',
      sent: null,
      pasted: null,
    })
  if (findings.length === 0)
    return {
      verdict: 'match',
      sentence: `This is the signature of ${of}, made with a secret of this endpoint.`,
      findings,
    }
  return { verdict: 'mismatch', sentence: `The signature is that of ${of}, so the secret is right.`, findings }
}

function foundMistake(question: SignatureQuestion, pasted: Pasted): Mistake | null {
  const { endpoint } = question
  for (const mistake of mistakesOf(question, pasted))
    if (signerOf(pasted.signatures, endpoint.secrets, mistake.content, mistake.keysOf) !== null) return mistake
  return null
}

function* mistakesOf({ message, attempts, deliveryId, body }: SignatureQuestion, pasted: Pasted): Iterable<Mistake> {
  const times = attempts.slice(-mostAttempts).map(timestampOf)
  const named = pasted.timestamp === null || !/^\d{1,12}$/.test(pasted.timestamp) ? null : pasted.timestamp
  const timestamp = named ?? times.at(-1) ?? null
  if (timestamp === null) return
  const right: Content = { id: message.id, timestamp, body: message.body }
  if (!times.includes(timestamp))
    yield {
      code: 'timestamp',
      sentence: 'The secret is right, but the timestamp is not that of an attempt of this delivery.',
      content: contentOf(right),
    }
  yield* idMistakes(
    right,
    [pasted.id, message.eventId, deliveryId].flatMap((each) => (each === null || each === message.id ? [] : [each])),
  )
  yield* mistakesAround(right, body === null ? null : Buffer.from(body))
}

function finding({ code, sentence }: Mistake): SignatureFinding {
  return { code, sentence, sent: null, pasted: null }
}

/** Neither our signature nor a known mistake: the remaining causes depend on what is known to match. */
function ofUnknown({ body }: SignatureQuestion, differences: readonly SignatureFinding[]): SignatureReport {
  if (differences.length > 0)
    return {
      verdict: 'mismatch',
      sentence:
        'The signature is not ours, and was made of something else. Once these agree, it shows whether the secret is right.',
      findings: differences,
    }
  if (body === null)
    return {
      verdict: 'mismatch',
      sentence:
        'The signature is not ours, nor that of a usual mistake. Paste the body, too, to see whether it is another one.',
      findings: [],
    }
  const sentence = 'The body is the one that we sent, so the secret is another one than those of this endpoint.'
  return { verdict: 'mismatch', sentence, findings: [{ code: 'secret', sentence, sent: null, pasted: null }] }
}

function timestampOf({ startedAt }: Pick<Attempt, 'startedAt'>): string {
  return String(Math.floor(startedAt / 1000))
}
