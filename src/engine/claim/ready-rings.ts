import type { EndpointRecord, Trust } from '../endpoints/records.ts'
import { Ring } from './ring.ts'

/** Endpoints with a recent success, and all others. The others may all be hung or dead, and must not delay the first group. */
export const rings = ['proven', 'unproven'] as const
export type RingName = (typeof rings)[number]

/** Endpoints that are ready for a claim, by how much they are trusted. */
export class ReadyRings {
  readonly #proven = new Ring()
  readonly #unknown = new Ring()
  readonly #doubtful = new Ring()

  has(ring: RingName): boolean {
    return ring === 'proven' ? this.#proven.size > 0 : this.#unknown.size + this.#doubtful.size > 0
  }

  add(record: EndpointRecord, trust: Trust): void {
    const ring = { proven: this.#proven, unknown: this.#unknown, doubtful: this.#doubtful }[trust]
    ring.add(record)
  }

  delete(record: EndpointRecord): void {
    for (const ring of [this.#proven, this.#unknown, this.#doubtful]) ring.delete(record)
  }

  /** Takes the next endpoints. Half of the unproven ones taken have not failed, if there are that many: there may be thousands of the others. */
  take(ring: RingName, most: number): EndpointRecord[] {
    if (ring === 'proven') return this.#proven.take(most)
    const unknown = this.#unknown.take(most - Math.min(Math.floor(most / 2), this.#doubtful.size))
    return [...unknown, ...this.#doubtful.take(most - unknown.length)]
  }
}
