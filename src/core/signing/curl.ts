import type { OutgoingRequest } from '../ports/ports.ts'

/** The request as a command for a POSIX shell. A binary body is passed as base64. */
export function curlOf({ url, headers, body }: Pick<OutgoingRequest, 'url' | 'headers' | 'body'>): string {
  const text = textOf(body)
  const parts = [
    'curl',
    '-X',
    'POST',
    quoted(url),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
  ]
  // Not --data-binary: a body that begins with @ would be read as a file name.
  if (text !== null) return [...parts, '--data-raw', quoted(text)].join(' ')
  return `echo ${Buffer.from(body).toString('base64')} | base64 -d | ${[...parts, '--data-binary', '@-'].join(' ')}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function textOf(body: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
