import { Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Definition } from './definitions.ts'

/** A histogram of what is observed once per delivery or statement. */
export function histogramOf(registry: Registry, { name, help, labels, buckets = [] }: Definition): Histogram {
  return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] })
}

/** The same by call: what each call observes with is looked up only once. */
export class CallHistogram {
  readonly #histogram: Histogram
  readonly #byCall = new Map<string, { observe(value: number): void }>()

  constructor(registry: Registry, definition: Definition) {
    this.#histogram = histogramOf(registry, definition)
  }

  observe(call: string, value: number): void {
    let own = this.#byCall.get(call)
    if (own === undefined) this.#byCall.set(call, (own = this.#histogram.labels(call)))
    own.observe(value)
  }
}
