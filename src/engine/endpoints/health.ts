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
import type { EndpointRecord } from './records.ts'
import { relearnt } from './relearn.ts'
import type { EngineParts } from '../parts.ts'

const mostTries = 5
const mostUnsaved = 100
const saveAgainMs = 1_000

/** Keeps what attempts teach about endpoints: in memory at once, in the store when other workers must know. */
export class HealthKeeper {
  readonly #parts: EngineParts
  readonly #retries = new Set<() => void>()
  #stopped = false

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /** Lets an attempt change window and health, and emits what follows. */
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
    if (limits.heedsEndpoint) this.#judge(record, lesson.gone)
    if (isWorthSaving(before, record.health)) void this.#save(record)
  }

  #emit({ endpoint: { id: webhook_id } }: EndpointRecord, { opened, closed, health }: Lesson): void {
    const { bus } = this.#parts
    if (opened && health.heldUntil !== null)
      bus.emit({ type: 'breaker.opened', webhook_id, held_until: health.heldUntil })
    if (closed) bus.emit({ type: 'breaker.closed', webhook_id })
  }

  /** Changes a health in the store, on what all workers know; false if the change no longer applies (null). */
  change(record: EndpointRecord, change: (health: Health) => Health | null): Promise<boolean> {
    return inTurn(record, async () => {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const next = change(record.health)
        if (next === null) return false
        if (await this.#parts.queue.saveHealth(record.endpoint.id, next)) {
          // An outcome may have come in while this was written: the change applies to what is known now.
          stamp(record, change(record.health) ?? record.health, next)
          return true
        }
        await this.#reread(record)
      }
      return false
    })
  }

  /** Takes over a health that was decided here, and stores it. */
  remember(record: EndpointRecord, health: Health): void {
    record.health = health
    void this.#save(record)
  }

  /** Nothing is written after this but what is under way. */
  stop(): void {
    this.#stopped = true
    for (const disarm of this.#retries) disarm()
    this.#retries.clear()
  }

  /** A long streak of failures ends in a warning, then in the end of the endpoint; 410 ends it at once. */
  #judge(record: EndpointRecord, gone: boolean): void {
    const now = this.#parts.clock.now()
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

  /** Compares URL and generation in the store: a person who has enabled the endpoint, or given it another URL, is not overruled by what came before. */
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
    // Whatever the store has made of it is what counts.
    record.readAt = 0
  }

  /** Writes what memory knows; what changes while one write runs goes into the next. */
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

  /** Another worker was first: what was learnt here and is not stored yet is learnt anew from what that one wrote. */
  async #reread(record: EndpointRecord): Promise<void> {
    const { id } = record.endpoint
    const stored = (await this.#parts.queue.health([id])).get(id) ?? healthy
    // It may be that of another URL, which is then read before anything more leaves.
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
  // What another has stored meanwhile may be known already.
  record.health = { ...health, version: Math.max(health.version, written.version + 1) }
}
