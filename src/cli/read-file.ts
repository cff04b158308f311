import { readFileSync } from 'node:fs'
import { messageOf, PosthornError } from '../core/errors.ts'

/** The content of a file, or of stdin for `-`. */
export async function readBytes(path: string, input: NodeJS.ReadStream, name: string): Promise<Buffer> {
  if (path === '-') {
    const chunks: Buffer[] = []
    for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array))
    return Buffer.concat(chunks)
  }
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new PosthornError(
      'invalid_argument',
      `Expected \`${name}\` to be a file that can be read: ${messageOf(cause)}.`,
      { cause },
    )
  }
}

/** A secret from a file: everybody on the machine could read the command line. */
export function readSecret(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new PosthornError(
      'invalid_argument',
      `Expected \`--${option}\` to name a file that can be read: ${messageOf(cause)}.`,
      { cause },
    )
  }
}
