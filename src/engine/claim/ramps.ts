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

/** The steps in which a backlog leaves after a hold or a pause. */
export class Ramps {
  readonly #parts: RampsParts

  constructor(parts: RampsParts) {
    this.#parts = parts
  }

  /** The current step of an endpoint, for a worker that started then; null if it has no ramp. */
  of(record: EndpointRecord, now: Instant, startedAt: Instant): Ramp | null {
    const { engine, shares } = this.#parts
    const { rampFrom } = record.health
    const step = rampStep(record.health, engine.settings.limits, { sharers: shares.sharers, startedAt }, now)
    if (step === null || rampFrom === null) return (record.ramp = null)
    const before = record.ramp?.from === rampFrom ? record.ramp : null
    if (before?.tick === step.tick) {
      // Other workers may have joined since the step began, perhaps while the hold was still on.
      before.left = Math.min(before.left, Math.max(step.allowance - before.begun, 0))
      return before
    }
    if (before !== null && isRough(before.begun, before.blamed)) return this.#repeat(record, before, step)
    return (record.ramp = { from: rampFrom, tick: step.tick, left: step.allowance, begun: 0, blamed: 0 })
  }

  /** Too many attempts failed to take a larger step. The other workers see this in the stored health. */
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
