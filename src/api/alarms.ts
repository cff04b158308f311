import { isRaised, severityOfAlarm } from '../core/alarms/alarm.ts'
import type { Alarm } from '../core/alarms/alarm.ts'
import { operationsUid, slackChannel, testMessage } from '../core/alarms/operational.ts'
import type { OperationalMessage } from '../core/alarms/operational.ts'
import { sentenceOf } from '../core/alarms/sentence.ts'
import type { Severity, Signal } from '../core/alarms/signals.ts'
import type { Endpoint } from '../core/endpoint/endpoint.ts'
import { expected } from '../core/errors.ts'
import { makeId } from '../core/ids.ts'
import type { Instant } from '../core/time.ts'
import type { By } from './actor.ts'
import type { Endpoints } from './endpoint/endpoints.ts'
import { refuseUnknown } from './input/unknown-options.ts'
import type { ResourceParts } from './parts.ts'

/** An alarm that is raised now. */
export interface RaisedAlarm {
  readonly id: string
  readonly signal: Signal
  /** The endpoint that it is about; null if it is about all of them. */
  readonly endpointId: string | null
  readonly severity: Severity
  readonly message: string
  readonly value: number
  readonly threshold: number
  readonly raisedAt: Instant
}

export interface NewAlarmTarget {
  readonly url: string
  /** `slack` for the URL of an incoming webhook of Slack; otherwise it gets JSON, signed as any other message. */
  readonly shape?: 'json' | 'slack' | undefined
  /** The types of operational webhooks it wants, such as `alarm.*`; all if not given. */
  readonly types?: readonly string[] | undefined
  readonly description?: string | undefined
}

/** What is wrong now, and who is told. */
export interface Alarms {
  /** Pages first, then the oldest. */
  list(): Promise<RaisedAlarm[]>
  /** The endpoints that get operational webhooks. */
  targets(): Promise<Endpoint[]>
  addTarget(target: NewAlarmTarget, by?: By): Promise<Endpoint>
  removeTarget(endpointId: string, by?: By): Promise<void>
  /** Sends every target a test. Answers with how many get it. */
  test(): Promise<number>
}

export interface AlarmsParts extends ResourceParts {
  readonly endpoints: Endpoints
  readonly sendOperational: (message: OperationalMessage) => Promise<number>
}

const mostTargets = 100

export function makeAlarms(parts: AlarmsParts): Alarms {
  const { ready, directory, clock, random, endpoints } = parts
  async function targets(): Promise<Endpoint[]> {
    await ready()
    const application = await directory.application(operationsUid)
    if (application === null) return []
    return directory.listEndpoints({ applicationId: application.id }, { limit: mostTargets, after: null })
  }

  return {
    targets,
    async list() {
      await ready()
      const raised = (await directory.alarms()).filter(isRaised).map(toRaised)
      return raised.toSorted((one, other) => rank(one) - rank(other) || one.raisedAt - other.raisedAt)
    },
    async addTarget({ url, shape = 'json', types = [], description = '', ...rest }, by = {}) {
      refuseUnknown('alarms.addTarget', rest, ['url', 'shape', 'types', 'description'])
      if (shape !== 'json' && shape !== 'slack') throw expected('invalid_argument', 'shape', 'json or slack', shape)
      const channels = shape === 'slack' ? [slackChannel] : []
      return endpoints.create({ application: operationsUid, url, types, description, channels }, by)
    },
    async removeTarget(endpointId, by = {}) {
      const known = (await targets()).some(({ id }) => id === endpointId)
      if (!known) throw expected('not_found', 'endpoint', 'the id of a target of alarms', endpointId)
      await endpoints.delete(endpointId, by)
    },
    async test() {
      await ready()
      return parts.sendOperational(testMessage(makeId('evt', clock.now(), random)))
    },
  }
}

function toRaised(alarm: Alarm): RaisedAlarm {
  const { id, signal, subject, value, threshold, raisedAt } = alarm
  return {
    id,
    signal,
    endpointId: subject === '' ? null : subject,
    severity: severityOfAlarm(alarm),
    message: sentenceOf(alarm),
    value,
    threshold,
    raisedAt: raisedAt ?? 0,
  }
}

function rank({ severity }: RaisedAlarm): number {
  return severity === 'page' ? 0 : 1
}
