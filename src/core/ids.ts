import { expected } from './errors.ts'
import type { Instant, Random } from './time.ts'

/** The kinds of id: the letters before the underscore. */
export type IdKind = 'app' | 'ep' | 'msg' | 'dlv' | 'sec' | 'aud' | 'key' | 'job' | 'evt'

// Crockford's alphabet: its ASCII order is its numeric order, so ids sort by time as plain text.
const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const timeDigits = 9
const randomDigits = 10
const epochDigits = 6
const tail = new RegExp(`^[${digits}]{${timeDigits + randomDigits}}$`)
const anyId = new RegExp(`^(app|ep|msg|dlv|sec|aud|key|job|atmpt)_[${digits}]{${timeDigits + randomDigits},}$`)

const attemptForm = new RegExp(`^atmpt_[${digits}]{${timeDigits + randomDigits + epochDigits}}$`)

/** Creates an id that sorts by time and cannot be guessed: kind, 45 bits of milliseconds, 50 random bits. */
export function makeId(kind: IdKind, now: Instant, random: Random): string {
  return `${kind}_${base32(now, timeDigits)}${base32(Math.floor(random() * 2 ** 50), randomDigits)}`
}

/** The smallest id of a kind created at or after an instant: turns a time filter into a range of the primary key. */
export function firstIdAt(kind: IdKind, at: Instant): string {
  return `${kind}_${base32(Math.max(0, Math.ceil(at)), timeDigits)}${'0'.repeat(randomDigits)}`
}

/** When an id was created: it begins with its time. */
export function timeOfId(id: string): Instant {
  const start = id.indexOf('_') + 1
  return numberOf(id.slice(start, start + timeDigits))
}

export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(`${kind}_`) && tail.test(text.slice(kind.length + 1))
}

/** True if the text has the form of one of our ids, of any kind. */
export function isAnyId(text: string): boolean {
  return anyId.test(text)
}

/** Refuses an id of the wrong kind before any lookup, naming the kind. */
export function checkId(kind: IdKind, text: unknown, name = 'id'): string {
  if (typeof text === 'string' && isId(kind, text)) return text
  throw expected('invalid_id', name, `an id of the form ${kind}_…`, text)
}

/** The public id of an attempt: its delivery and epoch in another form, so that it needs no column. */
export function attemptId(deliveryId: string, epoch: number): string {
  return `atmpt_${deliveryId.slice(deliveryId.indexOf('_') + 1)}${base32(epoch, epochDigits)}`
}

/** The delivery and epoch that an attempt's public id stands for; null if the text is not such an id. */
export function attemptOf(id: string): { readonly deliveryId: string; readonly epoch: number } | null {
  if (!attemptForm.test(id)) return null
  return { deliveryId: `dlv_${id.slice(id.indexOf('_') + 1, -epochDigits)}`, epoch: numberOf(id.slice(-epochDigits)) }
}

/** For numbers below 2^53, in two halves: each is a small integer, which divides fast. */
function base32(value: number, length: number): string {
  const low = value % halfSize
  return half((value - low) / halfSize, length - halfDigits) + half(low, halfDigits)
}

const halfDigits = 5
const halfSize = 32 ** halfDigits

function half(value: number, length: number): string {
  let text = ''
  for (let rest = value, place = 0; place < length; rest >>>= 5, place += 1) text = digits.charAt(rest & 31) + text
  return text
}

/** The reverse of `base32`. */
function numberOf(text: string): number {
  let value = 0
  for (const digit of text) value = value * 32 + digits.indexOf(digit)
  return value
}
