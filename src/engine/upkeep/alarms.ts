import { evaluate, isRaised, noticeKey, severityOfAlarm } from '../../core/alarms/alarm.ts'
import type { Alarm } from '../../core/alarms/alarm.ts'
import { findingsOf } from '../../core/alarms/findings.ts'
import type { AlarmReadings } from '../../core/alarms/findings.ts'
import { endpointNames, messagesOf } from '../../core/alarms/operational.ts'
import { sentenceOf } from '../../core/alarms/sentence.ts'
import { mostSubjects, shownForMs, windowMs } from '../../core/alarms/signals.ts'
import type { Signal } from '../../core/alarms/signals.ts'
import type { AlarmThresholds } from '../../core/alarms/thresholds.ts'
import { disabledBecause, leastFailedAttempts, warnAfterMs } from '../../core/endpoint/health.ts'
import { messageOf } from '../../core/errors.ts'
import { second } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import type { Activity } from '../activity.ts'
import type { EngineParts } from '../parts.ts'
import type { Operations } from './operations.ts'

export interface AlarmParts {
  readonly engine: EngineParts
  readonly activity: Activity
  readonly operations: Operations
}

const leastMs = 15 * second
// The worker that has the turn keeps it for the next rounds.
const roundsPerTurn = 4

/**
 * Evaluates the alarms, on one worker at a time. A decision is stored first, then sent under its own idempotency key, then marked as
 * sent. A crash in between repeats the send, and the key makes it the same message.
 */
export class Alarms {
  readonly #parts: AlarmParts
  readonly #everyMs: number
  #disarm: (() => void) | null = null
  #stopListening: (() => void) | null = null
  #round: Promise<void> = Promise.resolve()
  #hasTurn = false
  #leasesLost = 0

  constructor(parts: AlarmParts) {
    this.#parts = parts
    this.#everyMs = Math.max(leastMs, parts.engine.settings.limits.pollMs)
  }

  start(): void {
    const { bus, settings } = this.#parts.engine
    if (settings.alarms === null) return
    this.#stopListening = bus.on('lease.lost', () => void (this.#leasesLost += 1))
    this.#arm(settings.alarms)
  }

  async stop(): Promise<void> {
    this.#stopListening?.()
    this.#stopListening = null
    this.#disarm?.()
    this.#disarm = null
    await this.#round
    // Lets another worker continue at once. If this fails, the turn expires.
    if (this.#hasTurn) await this.#takeTurn(0).catch(() => undefined)
  }

  #arm(thresholds: AlarmThresholds): void {
    this.#disarm = this.#parts.engine.clock.after(this.#everyMs, () => {
      this.#disarm = null
      this.#round = this.#parts.activity.during(() => this.#evaluateAndArm(thresholds))
    })
  }

  async #evaluateAndArm(thresholds: AlarmThresholds): Promise<void> {
    try {
      await this.#noteLostLeases()
      if (await this.#takeTurn(roundsPerTurn * this.#everyMs)) await this.#evaluate(thresholds)
    } catch (error) {
      // Deliveries continue: none of them depends on an alarm.
      this.#parts.engine.bus.warn(
        'store_error',
        `The alarms were not evaluated this time; they will be in ${this.#everyMs / second} s: ${messageOf(error)}`,
      )
    }
    if (this.#stopListening !== null) this.#arm(thresholds)
  }

  /** Only the process that lost a lease knows about it. */
  async #noteLostLeases(): Promise<void> {
    const count = this.#leasesLost
    if (count === 0) return
    const { directory, clock } = this.#parts.engine
    await directory.noteAlarm({ signal: 'lease-lost', count, now: clock.now() })
    this.#leasesLost -= count
  }

  async #takeTurn(leaseMs: number): Promise<boolean> {
    const {
      queue,
      clock,
      settings: { owner },
    } = this.#parts.engine
    this.#hasTurn = await queue.takeTurn({ name: 'alarms', owner, now: clock.now(), leaseMs })
    return this.#hasTurn
  }

  async #evaluate(thresholds: AlarmThresholds): Promise<void> {
    const { directory, clock } = this.#parts.engine
    const now = clock.now()
    const [alarms, readings, diskUsedPercent] = await Promise.all([
      directory.alarms(),
      this.#readings(thresholds, now),
      this.#diskUsedPercent(),
    ])
    const findings = findingsOf({ readings, diskUsedPercent, noted: alarms, thresholds, now })
    const unread = new Set<Signal>(diskUsedPercent === null ? ['disk-nearly-full'] : [])
    const { changed, forgotten } = evaluate({ alarms, findings, unread, now, cooldownMs: thresholds.cooldownMs })
    const saved = new Set(changed.length === 0 ? [] : await directory.saveAlarms(changed))
    if (forgotten.length > 0) await directory.forgetAlarms(forgotten)
    // Including notices of an earlier round that was interrupted.
    const owing = [
      ...alarms.filter(({ owed }) => owed !== null),
      ...changed.filter(({ id, owed }) => owed !== null && saved.has(id)).map(oneVersionOn),
    ]
    for (const alarm of owing) await this.#notify(alarm)
  }

  async #readings({ backlogRows }: AlarmThresholds, now: Instant): Promise<AlarmReadings> {
    const { directory } = this.#parts.engine
    const targets = await this.#parts.operations.targets()
    return directory.alarmReadings({
      now,
      windowMs,
      mostDue: backlogRows,
      mostSubjects,
      failingBefore: now - warnAfterMs,
      leastFailedAttempts,
      disabledSince: now - shownForMs,
      disabledBecause: Object.values(disabledBecause),
      except: targets?.applicationId ?? null,
    })
  }

  /** Null if the store is not on a disk of this machine, or if that disk cannot be read. */
  async #diskUsedPercent(): Promise<number | null> {
    const { disk, bus } = this.#parts.engine
    if (disk === undefined) return null
    try {
      const found = await disk()
      return found === null ? null : 100 * (1 - found.freeBytes / found.sizeBytes)
    } catch (error) {
      bus.warn('store_error', `The disk of the database could not be read: ${messageOf(error)}`)
      return null
    }
  }

  async #notify(alarm: Alarm): Promise<void> {
    const { directory } = this.#parts.engine
    for (const message of messagesOf(alarm, await this.#about(alarm), noticeKey(alarm)))
      await this.#parts.operations.send(message)
    this.#emit(alarm)
    await directory.saveAlarms([{ ...alarm, owed: null, notifiedAt: alarm.owedAt }])
  }

  async #about({ subject }: Alarm): Promise<Parameters<typeof messagesOf>[1]> {
    if (subject === '') return null
    const { directory, queue } = this.#parts.engine
    const [endpoint] = await directory.endpointsById([subject])
    if (endpoint === undefined) return null
    const application = await directory.application(endpoint.applicationId)
    const health = (await queue.health([subject])).get(subject)
    return { names: endpointNames(endpoint, application), failSince: health?.failingSince ?? endpoint.statusSince }
  }

  #emit(alarm: Alarm): void {
    const { id: alarm_id, signal, subject, value, threshold, raisedAt, owed } = alarm
    const about = {
      alarm_id,
      signal,
      subject,
      severity: severityOfAlarm(alarm),
      value,
      threshold,
      raised_at: raisedAt ?? 0,
      message: sentenceOf(alarm),
    }
    const { bus } = this.#parts.engine
    if (isRaised(alarm)) bus.emit({ type: 'alarm.raised', ...about, repeated: owed === 'repeated' })
    else bus.emit({ type: 'alarm.resolved', ...about })
  }
}

/** The alarm with the version that it has once saved. */
function oneVersionOn(alarm: Alarm): Alarm {
  return { ...alarm, version: alarm.version + 1 }
}
