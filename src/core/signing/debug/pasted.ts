/** A signature that was pasted. */
export interface PastedSignature {
  readonly text: string
  /** `v1`: an HMAC. `v1a`: ed25519. `body`: an HMAC of the bare body. `bare`: without a version. */
  readonly kind: 'v1' | 'v1a' | 'body' | 'bare'
  readonly encoding: 'base64' | 'base64url' | 'hex'
  readonly bytes: Buffer
}

/** What could be read from pasted headers; null where there was nothing. */
export interface Pasted {
  readonly id: string | null
  readonly timestamp: string | null
  readonly signatures: readonly PastedSignature[]
}

/** Reads whole headers, as printed by a log or curl, or just the value of the signature header. */
export function readPasted(text: string, bodyHeader: string): Pasted {
  const lines = text.split(lineEnd).flatMap(headersIn)
  const valueOf = (isWanted: (name: string) => boolean): string | null =>
    lines.find(([name]) => isWanted(name))?.[1] ?? null
  const id = valueOf((name) => name.endsWith('-id') && !name.endsWith('request-id'))
  const timestamp = valueOf((name) => name.endsWith('-timestamp'))
  const values = lines
    .filter(([name]) => name.endsWith('-signature') || name === bodyHeader.toLowerCase())
    .map(([, value]) => value)
  const signatures = (lines.length === 0 ? [text] : values).flatMap((value) => value.trim().split(/\s+/))
  return { id, timestamp, signatures: signatures.flatMap((each) => readSignature(unquoted(each)) ?? []) }
}

// Also splits the fields of JSON on a single line.
const lineEnd = /\r?\n|(?<=["']),\s*(?=["'])/

function headersIn(line: string): (readonly [name: string, value: string])[] {
  const [, name, value] = /^\W*(?:-H\s*['"])?([\w-]*-[\w-]+)['"]?\s*:\s*(.+)$/.exec(line.trim()) ?? []
  return name === undefined || value === undefined ? [] : [[name.toLowerCase(), unquoted(value)]]
}

/** Removes what JSON, a shell or a log puts around it. */
function unquoted(text: string): string {
  return text.trim().replaceAll(/^["'[{]+|["'\]},;\\\s]+$/g, '')
}

function readSignature(text: string): PastedSignature | null {
  const [, prefix, rest = ''] = /^(v1a,|v1,|sha256=)?(.+)$/.exec(text) ?? []
  const found = decoded(rest)
  return found === null ? null : { text, kind: kinds.get(prefix) ?? 'bare', ...found }
}

const kinds: ReadonlyMap<string | undefined, PastedSignature['kind']> = new Map([
  ['v1,', 'v1'],
  ['v1a,', 'v1a'],
  ['sha256=', 'body'],
])

function decoded(text: string): Pick<PastedSignature, 'encoding' | 'bytes'> | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return { encoding: 'hex', bytes: Buffer.from(text, 'hex') }
  if (!/^[\w+/-]{42,}={0,2}$/.test(text)) return null
  return { encoding: /[-_]/.test(text) ? 'base64url' : 'base64', bytes: Buffer.from(text, 'base64') }
}
