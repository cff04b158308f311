import { checkThresholds, usualThresholds } from '../core/alarms/thresholds.ts'
import type { AlarmThresholds } from '../core/alarms/thresholds.ts'
import { checkLeaseMs } from '../core/delivery/lease.ts'
import { checkCount, checkLimits } from '../core/limits/limits.ts'
import type { Limits } from '../core/limits/limits.ts'
import { presetNamed, presets } from '../core/delivery/presets.ts'
import { checkPolicy } from '../core/delivery/retry-policy.ts'
import type { RetryPolicy } from '../core/delivery/retry-policy.ts'
import { checkHeaderPrefix, defaultHeaderPrefix } from '../core/signing/signature.ts'
import { day } from '../core/time.ts'
import type { EngineSettings } from '../engine/parts.ts'
import type { PosthornOptions } from './options.ts'

const standardRetries = presets.standard.policy.maxAttempts - 1

/** Checks every number before any I/O, and combines preset, options and policies. */
export function engineSettings(options: PosthornOptions, owner: string, userAgent: string): EngineSettings {
  const preset = presetNamed(options.preset ?? 'standard')
  const { leaseMs, timeoutMs, maxLeased, maxRetries } = checkedNumbers(options)
  const headerPrefix = checkHeaderPrefix(options.headerPrefix ?? preset.headerPrefix ?? defaultHeaderPrefix)

  const limits = { ...preset.limits, ...limitOptions(options, preset.limits) }
  checkLimits(limits)
  const policies = policiesOf(options, maxRetries)
  const defaultPolicy = policies.get(preset.policy.name) ?? preset.policy
  return {
    owner,
    limits,
    policies,
    defaultPolicy,
    leaseMs,
    timeoutMs,
    maxLeased,
    ...retentionOf(options),
    userAgent,
    headerPrefix,
    sendTraceparent: options.sendTraceparent ?? false,
    alarms: options.alarms === false ? null : alarmThresholds(options),
  }
}

function alarmThresholds(options: PosthornOptions): AlarmThresholds {
  const usual = usualThresholds
  return checkThresholds({
    deadLetterWarnPercent: options.alarmDeadLetterWarnPercent ?? usual.deadLetterWarnPercent,
    deadLetterPagePercent: options.alarmDeadLetterPagePercent ?? usual.deadLetterPagePercent,
    oldestDueMs: options.alarmOldestDueMs ?? usual.oldestDueMs,
    backlogRows: options.alarmBacklogRows ?? usual.backlogRows,
    diskPercent: options.alarmDiskPercent ?? usual.diskPercent,
    cooldownMs: options.alarmCooldownMs ?? usual.cooldownMs,
  })
}

/** How long ended deliveries are kept. */
function retentionOf(options: PosthornOptions): Pick<EngineSettings, 'historyMs' | 'deadLetterMs' | 'auditMs'> {
  const { historyDays = 30, deadLetterDays = 90, auditDays = 365 } = options
  for (const [name, days] of Object.entries({ historyDays, deadLetterDays, auditDays }))
    checkCount(name, days, 1, 3_650)
  return { historyMs: historyDays * day, deadLetterMs: deadLetterDays * day, auditMs: auditDays * day }
}

type Numbers = Readonly<Record<'leaseMs' | 'timeoutMs' | 'maxLeased' | 'maxRetries', number>>

function checkedNumbers(options: PosthornOptions): Numbers {
  const { leaseMs = 30_000, timeoutMs = 30_000, maxLeased = 5_000, maxRetries = standardRetries } = options
  checkLeaseMs(leaseMs)
  checkCount('timeoutMs', timeoutMs, 1, 300_000)
  checkCount('maxLeased', maxLeased, 1, 1_000_000)
  checkCount('maxRetries', maxRetries, 0, 20)
  return { leaseMs, timeoutMs, maxLeased, maxRetries }
}

function policiesOf(
  { policies: own = {}, allowUnsafeRetryDelays = false }: PosthornOptions,
  maxRetries: number,
): Map<string, RetryPolicy> {
  const known = Object.values(presets).map(({ policy }) => policy)
  const standard = { ...presets.standard.policy, maxAttempts: maxRetries + 1 }
  const all = [...known, standard, ...Object.entries(own).map(([name, policy]) => ({ ...policy, name }))]
  for (const policy of all) checkPolicy(policy, allowUnsafeRetryDelays)
  return new Map(all.map((policy) => [policy.name, policy]))
}

/** The limits among the options that were given. */
function limitOptions(options: Partial<Limits>, limits: Limits): Partial<Limits> {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => Object.hasOwn(limits, name) && value !== undefined),
  )
}
