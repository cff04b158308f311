import { isRaised } from '../core/alarms/alarm.ts'
import { operationsUid, slackChannel, testMessage } from '../core/alarms/operational.ts'
import type { OperationalMessage } from '../core/alarms/operational.ts'
import { raisedAlarm } from '../core/alarms/raised-alarm.ts'
import type { Acknowledgement, RaisedAlarm } from '../core/alarms/raised-alarm.ts'
import type { Endpoint } from '../core/endpoint/endpoint.ts'
import { expected } from '../core/errors.ts'
import { makeId } from '../core/ids.ts'
import type { Directory } from '../core/ports/directory.ts'
import { actor } from './actor.ts'
import type { By } from './actor.ts'
import type { Endpoints } from './endpoint/endpoints.ts'
import { refuseUnknown } from './input/unknown-options.ts'
import type { ResourceParts } from './parts.ts'

export interface NewAlarmTarget {
  readonly url: string
  /** `slack` for the URL of a Slack incoming webhook; otherwise it gets JSON, signed like any other message. */
  readonly shape?: 'json' | 'slack' | undefined
  /** The types of operational webhooks it subscribes to, such as `alarm.*`; all if not given. */
  readonly types?: readonly string[] | undefined
  readonly description?: string | undefined
}

/** What is wrong now, and who is notified. */
export interface Alarms {
  /** Pages first, then oldest first. */
  list(): Promise<RaisedAlarm[]>
  /** Acknowledges an alarm, and records by whom in the audit log. It stays raised, and acknowledged until it is resolved. */
  acknowledge(alarmId: string, by?: By): Promise<RaisedAlarm>
  /** The endpoints that get operational webhooks. */
  targets(): Promise<Endpoint[]>
  addTarget(target: NewAlarmTarget, by?: By): Promise<Endpoint>
  removeTarget(endpointId: string, by?: By): Promise<void>
  /** Sends a test to every target. Returns how many get it. */
  test(): Promise<number>
}

interface AlarmsParts extends ResourceParts {
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

  async function list(): Promise<RaisedAlarm[]> {
    await ready()
    const kept = (await directory.alarms()).filter(isRaised)
    const raised = await Promise.all(
      kept.map(async (alarm) => raisedAlarm(alarm, await acknowledgementOf(directory, alarm.id))),
    )
    return raised.toSorted((one, other) => rank(one) - rank(other) || one.raisedAt - other.raisedAt)
  }

  return {
    targets,
    list,
    async acknowledge(alarmId, by = {}) {
      const alarm = (await list()).find(({ id }) => id === alarmId)
      if (alarm === undefined) throw expected('not_found', 'alarm', 'the id of one that is raised now', alarmId)
      if (alarm.acknowledged !== null) return alarm
      const [at, who] = [clock.now(), actor(by)]
      await directory.note({ action: 'alarm.acknowledge', target: alarmId, by: who, at })
      return { ...alarm, acknowledged: { by: who.name, at } }
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

/** The newest acknowledgement in the audit log. */
async function acknowledgementOf(directory: Directory, alarmId: string): Promise<Acknowledgement | null> {
  const filter = { action: 'alarm.acknowledge', target: alarmId } as const
  const [newest] = await directory.audit(filter, { limit: 1, after: null })
  return newest === undefined ? null : { by: newest.actor, at: newest.at }
}

function rank({ severity }: RaisedAlarm): number {
  return severity === 'page' ? 0 : 1
}
