import { alarmSettings } from './settings/alarms.ts'
import { databaseSettings } from './settings/database.ts'
import { deliverySettings } from './settings/delivery.ts'
import { logSettings } from './settings/logs.ts'
import { metricsSettings } from './settings/metrics.ts'
import { portalSettings } from './settings/portal.ts'
import { quotaSettings } from './settings/quotas.ts'
import { retentionSettings } from './settings/retention.ts'
import { serverSettings } from './settings/server.ts'
import type { Setting } from './settings/setting.ts'
import { traceSettings } from './settings/traces.ts'

/** Every setting. The library itself does not read the environment: `settingsFromEnvironment()` and the commands do. */
export const settings = {
  ...deliverySettings,
  ...retentionSettings,
  ...databaseSettings,
  ...serverSettings,
  ...portalSettings,
  ...quotaSettings,
  ...logSettings,
  ...traceSettings,
  ...metricsSettings,
  ...alarmSettings,
} satisfies Record<string, Setting<unknown>>

export type Settings = {
  -readonly [Name in keyof typeof settings]: (typeof settings)[Name]['default'] extends infer Value
    ? Widened<Value>
    : never
}
type Widened<Value> = Value extends boolean
  ? boolean
  : Value extends number
    ? number
    : Value extends string
      ? string
      : Value

/** Every name of a setting. */
export function settingNames(): string[] {
  return Object.values<Setting<unknown>>(settings).flatMap(({ env, secret = false }) =>
    secret ? env.flatMap((name) => [name, `${name}_FILE`]) : env,
  )
}
