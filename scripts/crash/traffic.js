// What is sent, and how fast.
export const slowKind = 'report.ready'
export const poisonMark = 'ends whoever sends it'

const fastKinds = ['invoice.paid', 'order.shipped', 'user.created']

export const kinds = [...fastKinds, slowKind]

/** As much as possible, to fast endpoints only. */
export const dense = { sendsAtOnce: 4, pauseMs: 10, slowEvery: null, laterEvery: null }

/** About 35 a second, one in twelve of them to the slow endpoint: fewer than it can take, so that any backlog is caused by faults. */
export const mixed = { sendsAtOnce: 2, pauseMs: 50, slowEvery: 12, laterEvery: null }

/** The kind of the n-th message. */
export function kindOf(number, { slowEvery }) {
  return slowEvery !== null && number % slowEvery === 0 ? slowKind : fastKinds[number % fastKinds.length]
}
