import type { EndpointRecord } from '../endpoints/records.ts'

/** Endpoints that take turns, application by application: an application with many endpoints gets no more turns than one with a single endpoint. */
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

  /** Removes and returns the next endpoints. */
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

  /** Takes the first endpoint of an application, and moves the application to the end of the ring. */
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
