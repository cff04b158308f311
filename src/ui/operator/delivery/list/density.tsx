import { effect, signal } from '@preact/signals'
import { Segments } from '../../../parts/form/segments.tsx'

type Density = 'comfortable' | 'compact'

/** The density of the list of deliveries; the browser remembers it. */
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
    <div class="density">
      <Segments legend="Density" name="density" options={choices} chosen={density.value} choose={choose} />
    </div>
  )
}

function choose(value: Density): void {
  density.value = value
}
