/** A linear congruential generator: the same seed gives the same victims and pauses. Faults need variety, nothing more. */
export function makeRandom(seed) {
  let state = seed >>> 0
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  // Neighbouring seeds start out similar.
  for (let round = 0; round < 10; round += 1) next()
  const random = () => next() / 2 ** 32
  return {
    between: (least, most) => least + random() * (most - least),
    index: (count) => Math.floor(random() * count),
    shuffled: (items) =>
      items
        .map((item) => ({ item, place: random() }))
        .toSorted((left, right) => left.place - right.place)
        .map(({ item }) => item),
  }
}
