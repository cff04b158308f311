import { createHmac, createPublicKey, verify as verifyBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { ed25519Key, hmacKey, hmacPrefix } from '../signature.ts'
import type { Secret } from '../signature.ts'
import { isoTime } from '../../time.ts'
import type { PastedSignature } from './pasted.ts'

/** What was signed: the parts, before they are put together. */
export interface Content {
  readonly id: string
  readonly timestamp: string
  readonly body: Uint8Array
}

/** A mistake that receivers make, and what they sign because of it. */
export interface Mistake {
  readonly code: 'id' | 'timestamp' | 'body' | 'content' | 'secret_encoding'
  readonly sentence: string
  readonly content: Buffer
  /** Keys wrongly derived from a secret; absent if the right ones are used. */
  readonly keysOf?: (secret: string) => readonly Buffer[]
}

export function contentOf({ id, timestamp, body }: Content): Buffer {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
}

/** The secret with which one of the signatures matches a content; null if there is none. */
export function signerOf(
  signatures: readonly PastedSignature[],
  secrets: readonly Secret[],
  content: Buffer,
  keysOf?: Mistake['keysOf'],
): { readonly signature: PastedSignature; readonly secret: Secret } | null {
  for (const secret of secrets) {
    const isSigned = matcher(secret.value, content, keysOf)
    const signature = signatures.find(isSigned)
    if (signature !== undefined) return { signature, secret }
  }
  return null
}

function matcher(secret: string, content: Buffer, keysOf: Mistake['keysOf']): (signature: PastedSignature) => boolean {
  if (!secret.startsWith(hmacPrefix)) {
    if (keysOf !== undefined) return () => false
    const key = createPublicKey(ed25519Key(secret))
    return ({ kind, bytes }) => kind === 'v1a' && verifyBytes(null, content, key, bytes)
  }
  const keys: readonly (KeyObject | Buffer)[] = keysOf === undefined ? [hmacKey(secret)] : keysOf(secret)
  const digests = keys.map((key) => createHmac('sha256', key).update(content).digest())
  return ({ kind, bytes }) => kind !== 'v1a' && digests.some((digest) => digest.equals(bytes))
}

/** The usual mistakes, one at a time, around the content that should have been signed. */
export function* mistakesAround(right: Content, pastedBody: Uint8Array | null): Iterable<Mistake> {
  if (pastedBody !== null)
    yield {
      code: 'body',
      sentence:
        'The secret is right, but the signature was computed over the pasted body, which is not the one we sent.',
      content: contentOf({ ...right, body: pastedBody }),
    }
  yield* secretMistakes(right)
  yield* layoutMistakes(right)
  yield* timestampMistakes(right)
  yield* bodyMistakes(right)
}

/** Other ids of a message, none of which is the signed one. */
export function* idMistakes(right: Content, others: readonly string[]): Iterable<Mistake> {
  for (const id of others)
    yield {
      code: 'id',
      sentence: `The signature was computed with the id ${id}; the one that is signed is ${right.id}.`,
      content: contentOf({ ...right, id }),
    }
}

function* secretMistakes(right: Content): Iterable<Mistake> {
  yield {
    code: 'secret_encoding',
    sentence:
      'The secret was used as text. Take off "whsec_", and decode the rest from base64: those bytes are the key.',
    content: contentOf(right),
    keysOf: (secret) => [Buffer.from(secret), Buffer.from(secret.slice(hmacPrefix.length))],
  }
}

function* layoutMistakes({ id, timestamp, body }: Content): Iterable<Mistake> {
  const layouts: readonly (readonly [what: string, head: string])[] = [
    ['the body alone', ''],
    ['the timestamp and the body, without the id', `${timestamp}.`],
    ['the id and the body, without the timestamp', `${id}.`],
    ['the timestamp before the id', `${timestamp}.${id}.`],
    ['id, timestamp and body without dots between them', `${id}${timestamp}`],
  ]
  for (const [what, head] of layouts)
    yield {
      code: 'content',
      sentence: `The signature was computed over ${what}. Sign the id, a dot, the timestamp, a dot, and the body.`,
      content: Buffer.concat([Buffer.from(head), body]),
    }
}

function* timestampMistakes(right: Content): Iterable<Mistake> {
  const seconds = Number(right.timestamp)
  for (const timestamp of [String(seconds * 1000), isoTime(seconds * 1000)])
    yield {
      code: 'timestamp',
      sentence: `The signature was computed with the time as ${timestamp}. Use the text of the header: ${right.timestamp}, in seconds.`,
      content: contentOf({ ...right, timestamp }),
    }
}

function* bodyMistakes(right: Content): Iterable<Mistake> {
  for (const body of rewritten(Buffer.from(right.body)))
    yield {
      code: 'body',
      sentence: 'The signature was computed over a body that was parsed and written again. Use the bytes as received.',
      content: contentOf({ ...right, body }),
    }
}

/** What usual code does to a body on the way. */
function rewritten(body: Buffer): Buffer[] {
  const text = body.toString()
  const texts = [`${text}\n`, text.trimEnd(), JSON.stringify(text)]
  try {
    const value: unknown = JSON.parse(text)
    texts.push(JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, 4))
  } catch {
    // Not JSON: nothing has re-serialised it.
  }
  return [...new Set(texts)].filter((each) => each !== text).map((each) => Buffer.from(each))
}
