import { isRaised } from '../core/alarms/alarm.ts'
import { operationsUid, slackChannel, testMessage } from '../core/alarms/operational.ts'
import type { OperationalMessage } from '../core/alarms/operational.ts'
import { raisedAlarm } from '../core/alarms/raised-alarm.ts'
import type { RaisedAlarm } from '../core/alarms/raised-alarm.ts'
import type { Endpoint } from '../core/endpoint/endpoint.ts'
import { expected } from '../core/errors.ts'
import { makeId } from '../core/ids.ts'
import type { By } from './actor.ts'
import type { Endpoints } from './endpoint/endpoints.ts'
import { refuseUnknown } from './input/unknown-options.ts'
import type { ResourceParts } from './parts.ts'

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
      const raised = (await directory.alarms()).filter(isRaised).map(raisedAlarm)
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

function rank({ severity }: RaisedAlarm): number {
  return severity === 'page' ? 0 : 1
}
