/** A response body is read up to this; a longer one ends the connection. */
export const mostBodyBytes = 64 * 1024
/** And at most this much of it is stored. */
export const mostKeptBytes = 16 * 1024
/** The head of a response is read up to this. */
export const mostHeadBytes = 16 * 1024
/** The most that a response may take on the wire, including informational heads, status lines and chunk extensions. */
export const mostAnswerBytes = mostBodyBytes + mostHeadBytes

/** The beginning of a body as text that every database can store, whatever the bytes are. */
export function truncatedText(chunks: readonly Buffer[]): string {
  const [first] = chunks
  if (first === undefined) return ''
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks)
  let text = decode(bytes)
  // PostgreSQL refuses NUL in text.
  if (text.includes('\0')) text = text.replaceAll('\0', '\ufffd')
  // Bytes that are not text become three times as long.
  return text.length * 3 > mostKeptBytes && Buffer.byteLength(text) > mostKeptBytes ? decode(Buffer.from(text)) : text
}

function decode(bytes: Buffer): string {
  if (bytes.length <= mostKeptBytes) return bytes.toString('utf8')
  // In stream mode the decoder leaves out a character that the cut has split.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, mostKeptBytes), { stream: true })
}
