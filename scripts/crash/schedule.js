/** The faults of a run in order, from a seed: the same seed gives the same kinds, pauses and victims. */
export function makeSchedule({ seed, workers, kills, restarts }) {
  const random = generator(seed)
  const kinds = shuffled([...Array(kills).fill('kill'), ...Array(restarts).fill('restart')], random)
  return kinds.map((kind) => ({
    kind,
    afterMs: 300 + Math.floor(random() * 700),
    victim: Math.floor(random() * workers),
    downMs: Math.floor(random() * 1_000),
  }))
}

function shuffled(items, random) {
  const order = items.map((item) => ({ item, place: random() }))
  return order.toSorted((left, right) => left.place - right.place).map(({ item }) => item)
}

/** A linear congruential generator: a schedule needs variety, no more. */
function generator(seed) {
  let state = seed >>> 0
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  // Neighbouring seeds begin alike.
  for (let round = 0; round < 10; round += 1) next()
  return () => next() / 2 ** 32
}
