import { messageOf } from '../../core/errors.ts'

/** `warn`: it works, but not for long, or not as it should. `fail`: it does not work. */
type CheckLevel = 'ok' | 'warn' | 'fail'

/** One check: what was found, and what to do if something is wrong. */
export interface Check {
  readonly name: string
  readonly level: CheckLevel
  readonly sentence: string
}

export type Finding = Omit<Check, 'name'>

/** Runs a check; an error counts as a finding. */
export async function runCheck(name: string, find: () => Promise<Finding> | Finding): Promise<Check> {
  try {
    return { name, ...(await find()) }
  } catch (thrown) {
    return { name, level: 'fail', sentence: messageOf(thrown) }
  }
}

/** Everything is fine. */
export function well(sentence: string): Finding {
  return { level: 'ok', sentence }
}

/** What was found, and what to do about it. */
export function trouble(level: 'warn' | 'fail', found: string, advice: string): Finding {
  return { level, sentence: `${found} ${advice}` }
}
