import { messageOf } from '../../core/errors.ts'

/** One thing that was checked: what was found, and what to do if it is wrong. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly sentence: string
}

/** Runs a check; an error is a finding, too. */
export async function runCheck(name: string, find: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
  try {
    return { name, ...(await find()) }
  } catch (thrown) {
    return { name, ok: false, sentence: messageOf(thrown) }
  }
}
