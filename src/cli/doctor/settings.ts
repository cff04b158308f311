import type { Settings } from '../../config/settings.ts'
import { trouble, well } from './check.ts'
import type { Check, Finding } from './check.ts'

/** Settings that are valid, but that somebody may regret. */
export function settingChecks(settings: Settings): Check[] {
  return [
    { name: 'log', ...logFinding(settings) },
    ...(settings.allowUnsafeRetryDelays ? [{ name: 'retries', ...unsafeRetries }] : []),
  ]
}

const unsafeRetries = trouble(
  'warn',
  'POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS is set.',
  'Never in production: unset it, and give policies delays of 30 s and more.',
)

function logFinding({ logLevel, logFormat }: Settings): Finding {
  const found = `The log has level ${logLevel}, ${logFormat ?? 'text on a terminal and json elsewhere'}.`
  if (logLevel === 'silent')
    return trouble('warn', found, 'Nobody will see dead letters or lost leases there: set POSTHORN_LOG_LEVEL to info.')
  if (logLevel === 'debug')
    return trouble(
      'warn',
      found,
      'Every attempt and request is a line: set POSTHORN_LOG_LEVEL to info when you are done.',
    )
  return well(found)
}
