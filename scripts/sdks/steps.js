/** What every client does, in this order. Each program prints `ok <step>`, or `no <step>: <why>`. */
export const steps = [
  'application',
  'event-type',
  'endpoint',
  'secret',
  'ordinary',
  'ordinary-signature',
  'raw',
  'raw-signature',
  'idempotency',
  'message',
  'attempts',
  'resend',
  'rotate',
  'rotated-signature',
  'portal',
  'portal-refused',
  'delete',
]

/** What the programs send; here it is compared with what the receiver got. */
export const ordinary = { id: 7, name: 'Grüße', list: [1, 2], nested: { ok: true } }
export const raw = '<invoice id="7">\n  <total>1.0</total> €\n</invoice>'
export const rawType = 'application/xml'

/** What is wrong with the bodies that came to a path; empty if all is right. */
export function bodyProblems(receipts) {
  const [first, second, third, again, rotated] = receipts
  const problems = []
  if (receipts.length !== 5) problems.push(`${receipts.length} requests instead of 5`)
  if (!isOrdinary(first)) problems.push(`an ordinary body of ${first?.body}`)
  if (second?.body !== raw || second.headers['content-type'] !== rawType)
    problems.push(`a raw body of ${JSON.stringify(second?.body)} (${second?.headers['content-type']})`)
  if (!isOrdinary(third) || !isOrdinary(rotated)) problems.push('an ordinary body that is another')
  if (again?.body !== first?.body || again?.headers['webhook-id'] !== first?.headers['webhook-id'])
    problems.push('a resend that is no repeat')
  return problems
}

function isOrdinary(receipt) {
  try {
    return JSON.stringify(sorted(JSON.parse(receipt.body))) === JSON.stringify(sorted(ordinary))
  } catch {
    return false
  }
}

/** Some clients write the names of an object in another order. */
function sorted(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  )
}
