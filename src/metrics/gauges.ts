import { Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { MeterSource } from '../core/ports/meter.ts'
import { second } from '../core/time.ts'
import { definitions } from './definitions.ts'
import type { Definition } from './definitions.ts'
import type { Sampler } from './sampler.ts'

/** What gauges read, once there is a Posthorn. */
export interface Watched {
  readonly source: MeterSource
  readonly sampler: Sampler
}

/** Reads the values of one gauge; unknown ones are left out. */
type Read = (watched: Watched, set: (value: number, labels?: Readonly<Record<string, string>>) => void) => void

/** Everything that is read during a scrape: this process's present state, and the last sample of the store. */
export function registerGauges(registry: Registry, watched: () => Watched | null): void {
  for (const [definition, read] of readings) register(registry, definition, read, watched)
}

function register(registry: Registry, definition: Definition, read: Read, watched: () => Watched | null): void {
  const { name, help, labels } = definition
  void new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    collect() {
      this.reset()
      // A gauge without labels is 0 after a reset, but unknown is not 0.
      if (labels.length === 0) this.remove()
      const known = watched()
      if (known !== null) read(known, (value, labelled = {}) => this.set(labelled, value))
    },
  })
}

const readings: readonly (readonly [Definition, Read])[] = [
  [
    definitions.buildInfo,
    ({ source: { version, database } }, set) => set(1, { version, node: process.versions.node, database }),
  ],
  [definitions.inFlight, ({ source }, set) => set(source.inFlight())],
  [definitions.openRequests, ({ source }, set) => set(source.openRequests())],
  [definitions.streamReaders, ({ source }, set) => set(source.streamReaders())],
  [
    definitions.queueDepth,
    ({ sampler: { last } }, set) => {
      if (last === null) return
      const { fresh, retries, held, dead } = last.queue
      for (const [state, depth] of Object.entries({ pending: fresh, failed: retries, held, dead }))
        set(depth, { state })
    },
  ],
  [
    definitions.oldestDue,
    ({ sampler: { last } }, set) => {
      if (last === null) return
      const { at, queue } = last
      set(queue.oldestDueAt === null ? 0 : Math.max(at - queue.oldestDueAt, 0) / second)
    },
  ],
  [definitions.deadLetterRate, ({ sampler: { last } }, set) => last !== null && set(last.deadLetterRate)],
  [
    definitions.endpoints,
    ({ sampler: { last } }, set) => {
      for (const [health, count] of Object.entries(last?.endpoints ?? {})) set(count, { health })
    },
  ],
  [definitions.workers, ({ sampler: { last } }, set) => last !== null && set(last.workers)],
  [
    definitions.diskFree,
    ({ sampler: { last } }, set) => last !== null && last.disk !== null && set(last.disk.freeBytes),
  ],
  [
    definitions.diskSize,
    ({ sampler: { last } }, set) => last !== null && last.disk !== null && set(last.disk.sizeBytes),
  ],
  [definitions.sampleAge, ({ sampler: { ageMs } }, set) => ageMs !== null && set(ageMs / second)],
]
