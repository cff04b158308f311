/** The known word that was probably meant; null if none is close. */
export function nearest(word: string, known: readonly string[]): string | null {
  const ranked = known
    .map((name) => ({ name, distance: distance(word, name) }))
    .toSorted((one, other) => one.distance - other.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= best.name.length / 2 ? best.name : null
}

/** A sentence that suggests the known word that was probably meant, to append to an error; empty if none is close. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known)
  return meant === null ? '' : ` Did you mean "${meant}"?`
}

/** The number of letters to add, drop, change or swap to turn one word into the other. */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)]
  const known = (i: number, j: number): number => rows[i]?.[j] ?? Infinity
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= other.length; j += 1) {
      const changed = known(i - 1, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1)
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swapped = isSwap ? known(i - 2, j - 2) + 1 : Infinity
      row.push(Math.min(changed, swapped, known(i - 1, j) + 1, known(i, j - 1) + 1))
    }
  }
  return known(one.length, other.length)
}
