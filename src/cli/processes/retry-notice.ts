import { presetNamed } from '../../core/delivery/presets.ts'
import { plannedDelays } from '../../core/delivery/retry-policy.ts'
import type { RetryPolicy } from '../../core/delivery/retry-policy.ts'
import { day, hour, minute } from '../../core/time.ts'
import type { Posthorn } from '../../posthorn.ts'

/** What first-time users should know before the first failure; null once there is an application. */
export async function retryNotice(posthorn: Posthorn, preset: string): Promise<string | null> {
  const [present] = await posthorn.applications.list({ limit: 1 })
  const { name } = presetNamed(preset).policy
  const policy = posthorn.policies.find((each) => each.name === name)
  return present !== undefined || policy === undefined ? null : retrySentence(policy)
}

/** How long a policy retries, and how to choose another. */
export function retrySentence(policy: RetryPolicy): string {
  const lastsMs = plannedDelays(policy)
    .slice(0, policy.maxAttempts - 1)
    .reduce((sum, delayMs) => sum + delayMs, 0)
  const times = policy.maxAttempts === 1 ? 'one attempt' : `${policy.maxAttempts} attempts over ${duration(lastsMs)}`
  return `Retry policy ${policy.name}: ${times}, then a dead letter. POSTHORN_PRESET chooses another: patient tries for 3 days, svix for 28 hours.`
}

function duration(ms: number): string {
  if (ms < 2 * hour) return counted(ms / minute, 'minute')
  return ms < 3 * day ? counted(ms / hour, 'hour') : counted(ms / day, 'day')
}

function counted(amount: number, unit: string): string {
  const count = Math.round(amount)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
