import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Definition } from './definitions.ts'

/** A counter that is only numbers until somebody scrapes: what is counted with every delivery must cost next to nothing. */
export class Tally {
  readonly #counts: Map<string, number>

  /** `known` are there from the start, as 0: a rate needs to have seen what there was before the first. */
  constructor(registry: Registry, { name, help, labels }: Definition, known: readonly string[] = []) {
    const counts = (this.#counts = new Map((labels.length === 0 ? [''] : known).map((values) => [values, 0])))
    // It is asked by the registry, which keeps it.
    void new Counter({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset()
        for (const [values, count] of counts) this.inc(labelled(labels, values), count)
      },
    })
  }

  /** Under the values of the labels, with a space between two. */
  add(values: string, count = 1): void {
    this.#counts.set(values, (this.#counts.get(values) ?? 0) + count)
  }
}

function labelled(labels: readonly string[], values: string): Record<string, string> {
  const each = values.split(' ')
  return Object.fromEntries(labels.map((label, place) => [label, each[place] ?? '']))
}
