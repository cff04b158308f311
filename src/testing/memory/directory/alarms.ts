import type { Delivery } from '../../../core/delivery/delivery.ts'
import { lanes } from '../../../core/delivery/delivery.ts'
import type { Alarm } from '../../../core/alarms/alarm.ts'
import { calmAlarm } from '../../../core/alarms/alarm.ts'
import type { AlarmReadings } from '../../../core/alarms/findings.ts'
import { windowMs } from '../../../core/alarms/signals.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { healthy, isHeld } from '../../../core/endpoint/health.ts'
import type { AlarmDirectory, AlarmNote, AlarmReadingsRequest } from '../../../core/ports/alarms.ts'
import type { Instant } from '../../../core/time.ts'
import { compareText } from '../sorted-list.ts'
import type { State } from '../state.ts'

/** Alarms, and what is read to evaluate them. */
export function alarmDirectory(state: State): AlarmDirectory {
  return {
    alarms: async () => [...state.alarms.values()].toSorted((one, other) => compareText(one.id, other.id)),
    saveAlarms: async (alarms) => alarms.filter((alarm) => save(state, alarm)).map(({ id }) => id),
    forgetAlarms: async (alarms) => {
      for (const { id, version } of alarms) if (state.alarms.get(id)?.version === version) state.alarms.delete(id)
    },
    noteAlarm: async (note) => noteAlarm(state, note),
    alarmReadings: async (request) => readings(state, request),
  }
}

export function noteAlarm(state: State, { signal, count, now }: AlarmNote): void {
  const known = state.alarms.get(signal)
  const isRecent = known !== undefined && known.notedAt !== null && known.notedAt > now - windowMs
  const before = known ?? { ...calmAlarm({ signal, subject: '' }), version: 1 }
  state.alarms.set(signal, { ...before, noted: isRecent ? known.noted + count : count, notedAt: now })
}

function save(state: State, alarm: Alarm): boolean {
  const known = state.alarms.get(alarm.id)
  if ((known?.version ?? 0) !== alarm.version) return false
  const { noted, notedAt } = known ?? { noted: 0, notedAt: null }
  state.alarms.set(alarm.id, { ...alarm, noted, notedAt, version: alarm.version + 1 })
  return true
}

function readings(state: State, request: AlarmReadingsRequest): AlarmReadings {
  const { now, windowMs: length, mostDue, mostSubjects, except } = request
  const own = [...state.endpoints.values()].filter(({ applicationId }) => applicationId !== except)
  const { sum } = state.rollups.between(now - length, now, new Set(own.map(({ id }) => id)))
  const free = own.filter((endpoint) => isFree(state, endpoint, now))
  const due = free.flatMap(({ id }) =>
    lanes.flatMap((lane) => Array.from(state.open.due(id, lane, Number.POSITIVE_INFINITY), dueAt)),
  )
  return {
    delivered: sum.delivered,
    dead: sum.dead,
    oldestDueAt: due.length === 0 ? null : Math.min(...due),
    dueRows: Math.min(due.filter((at) => at <= now).length, mostDue + 1),
    failing: failing(state, own, request).slice(0, mostSubjects),
    disabled: disabled(own, request).slice(0, mostSubjects),
  }
}

/** A delivery that is on hold, or returns from a hold in steps, is not late: it waits for its endpoint. */
function isFree(state: State, { id, status }: Endpoint, now: Instant): boolean {
  const health = state.health.get(id) ?? healthy
  return status === 'active' && !isHeld(health, now) && health.holds === 0 && health.rampFrom === null
}

function dueAt({ nextRetryAt }: Delivery): Instant {
  return nextRetryAt ?? 0
}

function failing(
  state: State,
  own: readonly Endpoint[],
  { failingBefore, leastFailedAttempts }: AlarmReadingsRequest,
): AlarmReadings['failing'] {
  return own
    .flatMap(({ id: endpointId, status }) => {
      const { failingSince, failedAttempts } = state.health.get(endpointId) ?? healthy
      const isLong = failingSince !== null && failingSince <= failingBefore && failedAttempts >= leastFailedAttempts
      return isLong && status === 'active' ? [{ endpointId, failingSince }] : []
    })
    .toSorted((one, other) => one.failingSince - other.failingSince || compareText(one.endpointId, other.endpointId))
}

function disabled(
  own: readonly Endpoint[],
  { disabledSince, disabledBecause }: AlarmReadingsRequest,
): AlarmReadings['disabled'] {
  return own
    .filter(
      ({ status, statusSince, statusReason }) =>
        status === 'disabled' && statusSince >= disabledSince && disabledBecause.includes(statusReason ?? ''),
    )
    .map(({ id: endpointId, statusSince: disabledAt }) => ({ endpointId, disabledAt }))
    .toSorted((one, other) => other.disabledAt - one.disabledAt || compareText(one.endpointId, other.endpointId))
}
