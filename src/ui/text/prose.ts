import { duration, shortly } from './format.ts'

/** A piece of a sentence: words, or a time with the words that lead to it. */
export type Piece = string | { readonly at: string; readonly text: string }

// The API writes times as 2026-01-01T12:00:00.000Z, and in sentences as 2026-01-01 12:00:00 UTC.
const stamp = /(?:\b(at|until|since|for|on|after|before) )?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?(?: UTC|Z)/g

/** A sentence of the API with relative times. */
export function inProse(sentence: string, now: number): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const match of sentence.matchAll(stamp)) {
    const [whole, lead = '', date = '', time = ''] = match
    const at = `${date}T${time}Z`
    pieces.push(sentence.slice(end, match.index), { at, text: fromNow(lead, Date.parse(at) - now) })
    end = match.index + whole.length
  }
  pieces.push(sentence.slice(end))
  return pieces.filter((piece) => piece !== '')
}

/** "since 12:00" is "for 2 h", "until 12:00" is "for another 2 h", "at 12:00" is "in 2 h" or "2 h ago". */
function fromNow(lead: string, aheadMs: number): string {
  const isAhead = aheadMs > 0
  if (lead === 'after' || lead === 'before') return beside(lead, aheadMs)
  if (lead === 'since' && !isAhead) return `for ${shortly(-aheadMs)}`
  if (isAhead) return `${lead === 'until' ? 'for another' : 'in'} ${duration(Math.max(1_000, aheadMs))}`
  if (lead === 'until') return `until ${past(-aheadMs, 'now')}`
  return past(-aheadMs, 'just now')
}

function past(agoMs: number, now: string): string {
  return agoMs < 1_000 ? now : `${shortly(agoMs)} ago`
}

/** "after 12:00" is "in the last 2 h", "before 12:00" is "more than 2 h ago". */
function beside(lead: 'after' | 'before', aheadMs: number): string {
  if (aheadMs > 0) return `${lead === 'after' ? 'more' : 'less'} than ${duration(aheadMs)} from now`
  return lead === 'after' ? `in the last ${duration(-aheadMs)}` : `more than ${duration(-aheadMs)} ago`
}
