/** One of several that can be on or off. */
export interface Chip {
  readonly value: string
  readonly word: string
  /** How many there are: null until it is known, absent if it is not counted. */
  readonly count?: { readonly count: number; readonly atLeast: boolean } | null | undefined
}

interface ChipsProps {
  readonly legend: string
  readonly chips: readonly Chip[]
  readonly chosen: readonly string[]
  readonly change: (chosen: readonly string[]) => void
}

/** A few options with their counts, any of which can be on; none means all. */
export function Chips({ legend, chips, chosen, change }: ChipsProps) {
  return (
    <fieldset class="chips">
      <legend class="hidden">{legend}</legend>
      {chips.map(({ value, word, count: many }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() =>
              change(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value])
            }
          />
          <span>
            {word}
            {many !== undefined && <small> {shownCount(many)}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** At most four characters: their space is reserved before the number is known, so that nothing moves. */
function shownCount(many: NonNullable<Chip['count']> | null): string {
  if (many === null) return ''
  return many.atLeast || many.count > 999 ? '999+' : String(many.count)
}
