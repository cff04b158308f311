import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { messageOf } from '../../core/errors.ts'

/** An image for the head of the portal. */
export interface Logo {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly type: string
  /** Changes with the image: browsers cache it as long as it stays the same. */
  readonly version: string
}

const mostBytes = 256 * 1024

/** The image in a file; or a sentence that says why it cannot be shown. */
export function readLogo(path: string): Logo | string {
  const isWrong = (what: string): string =>
    `Expected the portal's logo to be an image of up to ${mostBytes / 1024} KiB (PNG, JPEG, WebP, GIF or SVG), got ${path}: ${what}. The portal shows its name alone.`
  try {
    const { size } = statSync(path)
    if (size > mostBytes) return isWrong(`${Math.ceil(size / 1024)} KiB`)
    const bytes = new Uint8Array(readFileSync(path))
    const type = imageType(bytes)
    return type === null ? isWrong('no image') : { bytes, type, version: hash('sha256', bytes).slice(0, 16) }
  } catch (error) {
    return isWrong(messageOf(error))
  }
}

/** By the first bytes of the file: its name says nothing about how a browser would treat it. */
function imageType(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 1024))
  const text = start.toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'image/webp'
  return /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/i.test(text)
    ? 'image/svg+xml'
    : null
}
