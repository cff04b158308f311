import type { Counter, Registry } from 'prom-client'
import type { Definition } from './definitions.ts'

interface Counted {
  readonly labels: Readonly<Record<string, string>>
  value: number
}

/**
 * A counter that is just numbers until it is scraped: counting with every delivery must cost next to nothing. A registry calls `get` on
 * whatever it holds, so this can replace prom-client's, which looks up its labels with every count.
 */
export class Tally {
  readonly name: string
  readonly help: string
  readonly type = 'counter'
  readonly aggregator = 'sum'
  readonly labelNames: readonly string[]
  readonly #known: readonly string[]
  readonly #counted = new Map<string, Counted>()

  /** `known` values exist from the start, as 0: a rate needs to have seen the value before the first count. */
  constructor(registry: Registry, { name, help, labels }: Definition, known: readonly string[] = []) {
    this.name = name
    this.help = help
    this.labelNames = labels
    this.#known = labels.length === 0 ? [''] : known
    this.reset()
    registry.registerMetric(this as unknown as Counter)
  }

  /** For the given label values, separated by spaces. */
  add(values: string, count = 1): void {
    const counted = this.#counted.get(values) ?? this.#begin(values)
    counted.value += count
  }

  async get() {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values: [...this.#counted.values()].map((counted) => ({ ...counted })) }
  }

  reset(): void {
    this.#counted.clear()
    for (const values of this.#known) this.#begin(values)
  }

  #begin(values: string): Counted {
    const each = values.split(' ')
    const labels = Object.fromEntries(this.labelNames.map((label, place) => [label, each[place] ?? '']))
    const begun = { labels, value: 0 }
    this.#counted.set(values, begun)
    return begun
  }
}
