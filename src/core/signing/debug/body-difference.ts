/** Where two bodies differ. */
interface BodyDifference {
  /** The first differing byte, counted from 0. */
  readonly at: number
  /** The text at that place in each. */
  readonly sent: string
  readonly pasted: string
  /** The probable cause. */
  readonly hint: string
}

const shownBytes = 24

/** Null if they are the same. Browsers turn CRLF into LF when text is pasted: that does not count. */
export function bodyDifference(sent: Uint8Array, pasted: Uint8Array): BodyDifference | null {
  const [ours, theirs] = [Buffer.from(sent), Buffer.from(pasted)]
  if (ours.equals(theirs)) return null
  const text = ours.toString()
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n') === theirs.toString()) return null
  const at = firstDifference(ours, theirs)
  return { at, sent: around(ours, at), pasted: around(theirs, at), hint: hintFor(ours, theirs, at) }
}

function firstDifference(ours: Buffer, theirs: Buffer): number {
  const shorter = Math.min(ours.length, theirs.length)
  for (let at = 0; at < shorter; at += 1) if (ours[at] !== theirs[at]) return at
  return shorter
}

function around(body: Buffer, at: number): string {
  if (at >= body.length) return '(end)'
  return JSON.stringify(body.subarray(at, at + shownBytes).toString())
}

function hintFor(ours: Buffer, theirs: Buffer, at: number): string {
  const rest = (theirs.length > ours.length ? theirs : ours).subarray(at).toString()
  if (at === Math.min(ours.length, theirs.length) && /^\s*$/.test(rest))
    return theirs.length > ours.length ? 'White space was added at the end.' : 'White space at the end is missing.'
  if (theirs.subarray(0, 3).toString('hex') === 'efbbbf') return 'A byte order mark was added at the start.'
  if (canonical(ours) !== null && canonical(ours) === canonical(theirs))
    return 'It is the same JSON, written in another way: verify the bytes as received, before they are parsed.'
  return 'It is another content.'
}

/** JSON in a canonical form with sorted keys; null if it is not JSON. */
function canonical(body: Buffer): string | null {
  try {
    return JSON.stringify(inOrder(JSON.parse(body.toString())))
  } catch {
    return null
  }
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([name, each]) => [name, inOrder(each)]))
}
