import { effect, signal } from '@preact/signals'

type Density = 'comfortable' | 'compact'

/** How close the rows of deliveries stand; the browser keeps it. */
export const density = signal<Density>(
  localStorage.getItem('posthorn.density') === 'compact' ? 'compact' : 'comfortable',
)
effect(() => localStorage.setItem('posthorn.density', density.value))

const choices = [
  ['comfortable', 'Comfortable'],
  ['compact', 'Compact'],
] as const

export function DensityChoice() {
  return (
    <fieldset class="segments density">
      <legend class="hidden">Density</legend>
      {choices.map(([value, name]) => (
        <label key={value}>
          <input
            type="radio"
            name="density"
            value={value}
            checked={density.value === value}
            onChange={() => (density.value = value)}
          />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}
