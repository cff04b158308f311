import { oneOf } from '../parse-value.ts'
import type { Setting } from './setting.ts'

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
/** The log levels; silent logs nothing. */
export type LineLevel = Exclude<(typeof logLevels)[number], 'silent'>

/** What `serve`, `worker` and `dev` write to stderr. */
export const logSettings = {
  logLevel: {
    env: ['POSTHORN_LOG_LEVEL'],
    default: 'info',
    unit: '',
    sentence:
      'The lowest level that is logged: debug (every attempt and request), info (failures), warn (dead letters, lost leases), error, or silent. `posthorn dev` shows deliveries itself, and logs them only if this is set.',
    read: oneOf(logLevels),
  },
  logFormat: {
    env: ['POSTHORN_LOG_FORMAT'],
    default: null as string | null,
    unit: '',
    sentence:
      'json for a line of JSON per event, text for a person; if not given, text on a terminal and json elsewhere.',
    read: oneOf(['json', 'text']),
  },
} satisfies Record<string, Setting<unknown>>
