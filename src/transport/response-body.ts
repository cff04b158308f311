/** A response body is read this far; the connection of a longer one is cut. */
export const mostBodyBytes = 64 * 1024
/** And this much of it is kept, at most. */
export const mostKeptBytes = 16 * 1024
/** The head of an answer is read this far. */
export const mostHeadBytes = 16 * 1024
/** All that an answer may take on the wire: informational heads, status lines, chunk extensions and all. */
export const mostAnswerBytes = mostBodyBytes + mostHeadBytes

/** The beginning of a body as text that every database can store, whatever the bytes are. */
export function truncatedText(chunks: readonly Buffer[]): string {
  const [first] = chunks
  if (first === undefined) return ''
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks)
  let text = decode(bytes)
  // PostgreSQL refuses NUL in text.
  if (text.includes('\0')) text = text.replaceAll('\0', '\ufffd')
  // Bytes that are no text become three times as long.
  return text.length * 3 > mostKeptBytes && Buffer.byteLength(text) > mostKeptBytes ? decode(Buffer.from(text)) : text
}

function decode(bytes: Buffer): string {
  if (bytes.length <= mostKeptBytes) return bytes.toString('utf8')
  // As a stream, the decoder leaves out a character that the cut has halved.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, mostKeptBytes), { stream: true })
}
