import { textOf } from '../../../src/core/message/message.ts'

const mostWhole = 200
// A prime, so that no pattern of a body falls into step with it.
const stride = 61

/** A body as it is remembered: itself, or what tells a large one from any other. */
export function rememberedBody(body: Uint8Array): string {
  if (body.length <= mostWhole) return textOf(body)
  return `${textOf(body.subarray(0, 20))}… ${body.length} bytes ${checksum(body)}`
}

/** Of some of its bytes: a body is looked at with every request, and there are many of a megabyte. */
function checksum(body: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < body.length; at += stride) sum = (Math.imul(sum, 31) + (body[at] ?? 0)) | 0
  return sum
}
