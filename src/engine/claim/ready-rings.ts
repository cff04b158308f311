import type { EndpointRecord, Trust } from '../endpoints/records.ts'
import { Ring } from './ring.ts'

/** Those that something reached lately, and those that it did not: the second may all be hung or dead, and must not keep the first waiting. */
export const rings = ['proven', 'unproven'] as const
export type RingName = (typeof rings)[number]

/** Endpoints that may be asked for rows, by how far they are trusted. */
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

  /** Takes out the next ones. Of the unproven, half are such that have not failed, if there are so many: of the others there may be thousands. */
  take(ring: RingName, most: number): EndpointRecord[] {
    if (ring === 'proven') return this.#proven.take(most)
    const unknown = this.#unknown.take(most - Math.min(Math.floor(most / 2), this.#doubtful.size))
    return [...unknown, ...this.#doubtful.take(most - unknown.length)]
  }
}
