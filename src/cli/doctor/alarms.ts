import type { Settings } from '../../config/settings.ts'
import { operationsUid } from '../../core/alarms/operational.ts'
import type { Store } from '../../core/ports/ports.ts'
import { runCheck, trouble, well } from './check.ts'
import type { Check } from './check.ts'

const mostTargets = 100

/** Whether alarms are raised, and whether they have anywhere to go. */
export function alarmsCheck({ directory, queue }: Store, { alarms }: Settings): Promise<Check> {
  return runCheck('alarms', async () => {
    if (!alarms) return trouble('warn', 'POSTHORN_ALARMS=0 raises none.', 'Watch the metrics instead.')
    const application = await directory.application(operationsUid)
    const targets =
      application === null
        ? []
        : await directory.listEndpoints({ applicationId: application.id }, { limit: mostTargets, after: null })
    if (targets.length === 0)
      return trouble('warn', 'Alarms go to the log and the dashboard only.', 'Add a target: posthorn alarms add URL')
    const health = await queue.health(targets.map(({ id }) => id))
    const broken = targets.filter(({ id, status }) => status !== 'active' || (health.get(id)?.failures ?? 0) > 0)
    const ids = broken.map(({ id }) => id).join(', ')
    if (broken.length === targets.length)
      return trouble('fail', `No alarm arrives: ${ids} fail or are not active.`, `Look at: posthorn endpoints get ID`)
    if (broken.length > 0)
      return trouble('warn', `Alarms do not arrive at ${ids}.`, 'Look at: posthorn endpoints get ID')
    return well(`Alarms go to ${targets.length} ${targets.length === 1 ? 'target' : 'targets'}.`)
  })
}
