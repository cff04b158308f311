import type { EndpointRecord } from '../endpoints/records.ts'

/** Endpoints that take turns: one of each application after the other, so that many endpoints are no more turns than one. */
export class Ring {
  readonly #byApplication = new Map<string, Set<EndpointRecord>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(record: EndpointRecord): void {
    const { applicationId } = record.endpoint
    const others = this.#byApplication.get(applicationId)
    if (others?.has(record) === true) return
    if (others === undefined) this.#byApplication.set(applicationId, new Set([record]))
    else others.add(record)
    this.#size += 1
  }

  delete(record: EndpointRecord): void {
    const { applicationId } = record.endpoint
    const those = this.#byApplication.get(applicationId)
    if (those?.delete(record) !== true) return
    this.#size -= 1
    if (those.size === 0) this.#byApplication.delete(applicationId)
  }

  /** Takes out the next ones. */
  take(most: number): EndpointRecord[] {
    const taken: EndpointRecord[] = []
    while (taken.length < most && this.#size > 0) {
      for (const [applicationId, records] of this.#byApplication) {
        if (taken.length === most) break
        taken.push(...this.#takeFirst(applicationId, records))
      }
    }
    return taken
  }

  /** The application goes to the end of the ring. */
  #takeFirst(applicationId: string, records: Set<EndpointRecord>): EndpointRecord[] {
    this.#byApplication.delete(applicationId)
    const [first] = records
    if (first === undefined) return []
    records.delete(first)
    this.#size -= 1
    if (records.size > 0) this.#byApplication.set(applicationId, records)
    return [first]
  }
}
