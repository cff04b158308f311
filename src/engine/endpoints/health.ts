import { blamesEndpoint, succeeded } from '../../core/delivery/attempt.ts'
import { messageOf } from '../../core/errors.ts'
import {
  afterWarning,
  disabledBecause,
  healthy,
  isWorthSaving,
  judge,
  learn,
  willBeDisabledAt,
} from '../../core/endpoint/health.ts'
import type { Evidence, Health, Lesson } from '../../core/endpoint/health.ts'
import type { Instant } from '../../core/time.ts'
import type { EndpointRecord } from './records.ts'
import { relearnt } from './relearn.ts'
import type { EngineParts } from '../parts.ts'

const mostTries = 5
const mostUnsaved = 100
const saveAgainMs = 1_000

/** Tracks what attempts reveal about endpoints: in memory at once, in the store when other workers must know. */
export class HealthKeeper {
  readonly #parts: EngineParts
  readonly #retries = new Set<() => void>()
  #stopped = false

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /** Updates window and health after an attempt, and emits the resulting events. */
  learn(record: EndpointRecord, evidence: Evidence): void {
    const {
      clock,
      random,
      settings: { limits },
    } = this.#parts
    const now = clock.now()
    const before = record.health
    const input = { window: record.window, health: before, evidence, limits, now, random }
    const lesson = learn(input)
    if (lesson.health !== before && record.unsavedLessons.length < mostUnsaved) record.unsavedLessons.push(input)
    record.window = lesson.window
    record.health = lesson.health
    if (evidence.sameUrl && succeeded(evidence.outcome)) record.succeededAt = now
    if (record.ramp !== null && blamesEndpoint(evidence.outcome)) record.ramp.blamed += 1
    this.#emit(record, lesson)
    if (limits.heedsEndpoint) this.#judge(record, lesson.gone, now)
    if (isWorthSaving(before, record.health)) void this.#save(record)
  }

  #emit({ endpoint: { id: webhook_id } }: EndpointRecord, { opened, closed, health }: Lesson): void {
    const { bus } = this.#parts
    if (opened && health.heldUntil !== null)
      bus.emit({ type: 'breaker.opened', webhook_id, held_until: health.heldUntil })
    if (closed) bus.emit({ type: 'breaker.closed', webhook_id })
  }

  /** Changes a health in the store, based on the state shared by all workers. False if the change no longer applies (null). */
  change(record: EndpointRecord, change: (health: Health) => Health | null): Promise<boolean> {
    return inTurn(record, async () => {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const next = change(record.health)
        if (next === null) return false
        if (await this.#parts.queue.saveHealth(record.endpoint.id, next)) {
          // An outcome may have arrived during the write: apply the change to the current health.
          stamp(record, change(record.health) ?? record.health, next)
          return true
        }
        await this.#reread(record)
      }
      return false
    })
  }

  /** Adopts a health that was decided here, and stores it. */
  remember(record: EndpointRecord, health: Health): void {
    record.health = health
    void this.#save(record)
  }

  /** Starts no further write; one under way may finish. */
  stop(): void {
    this.#stopped = true
    for (const disarm of this.#retries) disarm()
    this.#retries.clear()
  }

  /** A long streak of failures leads to a warning, then disables the endpoint; a 410 disables it at once. */
  #judge(record: EndpointRecord, gone: boolean, now: Instant): void {
    const judgement = gone ? 'disable' : judge(record.health, now)
    if (judgement === 'warn' || judgement === 'warn again') {
      record.health = afterWarning(record.health, judgement)
      this.#parts.bus.emit({
        type: 'endpoint.failing',
        webhook_id: record.endpoint.id,
        failing_since: record.health.failingSince ?? now,
        disabled_at: willBeDisabledAt(record.health) ?? now,
        is_last: judgement === 'warn again',
      })
    }
    if (judgement === 'disable') void this.#disable(record, gone ? disabledBecause.gone : disabledBecause.failing)
  }

  /** Compares URL and generation in the store: older evidence must not overrule a person who has enabled the endpoint or changed its URL. */
  async #disable(record: EndpointRecord, reason: string): Promise<void> {
    const { queue, clock, bus } = this.#parts
    const { id, url, status } = record.endpoint
    if (status !== 'active') return
    record.endpoint = { ...record.endpoint, status: 'disabled', statusReason: reason }
    try {
      await record.lastHealthWrite
      const disabled = await queue.disable({
        endpointId: id,
        url,
        generation: record.health.generation,
        reason,
        now: clock.now(),
      })
      if (disabled) bus.emit({ type: 'endpoint.disabled', webhook_id: id, reason })
    } catch (error) {
      bus.warn('store_error', `Endpoint ${id} could not be disabled: ${messageOf(error)}`)
    }
    // The store decides: reread its result.
    record.readAt = 0
  }

  /** Writes the health from memory; changes during a write go into the next one. */
  async #save(record: EndpointRecord): Promise<void> {
    if (record.savingHealth) return
    record.savingHealth = true
    try {
      await inTurn(record, async () => {
        for (let again = true; again;) {
          const written = record.health
          const saved = await this.#parts.queue.saveHealth(record.endpoint.id, written)
          again = !saved || record.health !== written
          if (saved) stamp(record, record.health, written)
          else await this.#reread(record)
        }
      })
      record.unsavedLessons.length = 0
    } catch (error) {
      this.#parts.bus.warn(
        'store_error',
        `The health of ${record.endpoint.id} was not stored, and will be: ${messageOf(error)}`,
      )
      this.#saveLater(record)
    } finally {
      record.savingHealth = false
    }
  }

  #saveLater(record: EndpointRecord): void {
    if (this.#stopped) return
    const disarm = this.#parts.clock.after(saveAgainMs, () => {
      this.#retries.delete(disarm)
      void this.#save(record)
    })
    this.#retries.add(disarm)
  }

  /** Another worker wrote first: applies our unsaved lessons again, on top of its version. */
  async #reread(record: EndpointRecord): Promise<void> {
    const { id } = record.endpoint
    const stored = (await this.#parts.queue.health([id])).get(id) ?? healthy
    // It may belong to another URL, so the endpoint is reread before anything else leaves.
    if (stored.generation !== record.health.generation) record.readAt = 0
    record.health = relearnt(record, stored)
  }
}

function inTurn<Result>(record: EndpointRecord, work: () => Promise<Result>): Promise<Result> {
  const next = record.lastHealthWrite.then(work)
  record.lastHealthWrite = next.catch(() => undefined)
  return next
}

function stamp(record: EndpointRecord, health: Health, written: Health): void {
  // A later version, stored by another worker in the meantime, may already be known.
  record.health = { ...health, version: Math.max(health.version, written.version + 1) }
}
