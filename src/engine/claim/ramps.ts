import { isRough, rampStep, repeatStep } from '../../core/limits/ramp.ts'
import type { RampStep } from '../../core/limits/ramp.ts'
import type { Instant } from '../../core/time.ts'
import type { HealthKeeper } from '../endpoints/health.ts'
import type { EndpointRecord, Ramp } from '../endpoints/records.ts'
import type { Shares } from '../endpoints/shares.ts'
import type { EngineParts } from '../parts.ts'

export interface RampsParts {
  readonly engine: EngineParts
  readonly health: HealthKeeper
  readonly shares: Shares
}

/** The steps in which what a hold or a pause has kept back may leave. */
export class Ramps {
  readonly #parts: RampsParts

  constructor(parts: RampsParts) {
    this.#parts = parts
  }

  /** The step that an endpoint is in; null if nothing of it was kept back. */
  of(record: EndpointRecord, now: Instant): Ramp | null {
    const { engine, shares } = this.#parts
    const { rampFrom } = record.health
    const step = rampStep(record.health, engine.settings.limits, shares.workers, now)
    if (step === null || rampFrom === null) return (record.ramp = null)
    const before = record.ramp?.from === rampFrom ? record.ramp : null
    if (before?.tick === step.tick) {
      // Workers may have joined since it was dealt out, perhaps while the hold still lasted.
      before.left = Math.min(before.left, Math.max(step.allowance - before.begun, 0))
      return before
    }
    if (before !== null && isRough(before.begun, before.blamed)) return this.#repeat(record, before, step)
    return (record.ramp = { from: rampFrom, tick: step.tick, left: step.allowance, begun: 0, blamed: 0 })
  }

  /** Too many failed for a larger step: the other workers learn of it from the health. */
  #repeat(record: EndpointRecord, before: Ramp, { tick, allowance }: RampStep): Ramp {
    const { engine, health } = this.#parts
    const ticks = tick - before.tick
    const repeated = repeatStep(record.health, before.from, ticks, engine.settings.limits.pollMs)
    if (repeated !== null) health.remember(record, repeated)
    const from = repeated?.rampFrom ?? before.from
    record.ramp = { from, tick: before.tick, left: Math.ceil(allowance / 2 ** ticks), begun: 0, blamed: 0 }
    return record.ramp
  }
}
