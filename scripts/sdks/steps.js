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

/** What the programs send; compared here with what the receiver got. */
export const ordinary = { id: 7, name: 'Grüße', list: [1, 2], nested: { ok: true } }
export const raw = '<invoice id="7">\n  <total>1.0</total> €\n</invoice>'
export const rawType = 'application/xml'

/** What is wrong with the bodies that came to a path; empty if everything is right. */
export function bodyProblems(receipts) {
  if (receipts.length !== 5) return [`${receipts.length} requests instead of 5`]
  const [first, second, third, again, rotated] = receipts
  const checks = [
    [isOrdinary(first), `an ordinary body of ${first.body}`],
    [isRaw(second), `a raw body of ${JSON.stringify(second.body)} (${second.headers['content-type']})`],
    [isOrdinary(third) && isOrdinary(rotated), 'an ordinary body that is another'],
    [isRepeat(again, first), 'a resend that is no repeat'],
  ]
  return checks.filter(([isRight]) => !isRight).map(([, problem]) => problem)
}

function isRaw({ body, headers }) {
  return body === raw && headers['content-type'] === rawType
}

function isRepeat(one, other) {
  return one.body === other.body && one.headers['webhook-id'] === other.headers['webhook-id']
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
