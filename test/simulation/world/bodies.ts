import { createHash } from 'node:crypto'
import { textOf } from '../../../src/core/message/message.ts'

const mostWhole = 200

/** A body as it is remembered: itself, or what tells a large one from any other. */
export function rememberedBody(body: Uint8Array): string {
  if (body.length <= mostWhole) return textOf(body)
  return `${textOf(body.subarray(0, 20))}… ${body.length} bytes ${createHash('sha256').update(body).digest('hex').slice(0, 16)}`
}
