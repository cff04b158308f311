import { messageOf } from '../../core/errors.ts'

/** One thing that was looked at: what was found, and what to do if it is wrong. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly sentence: string
}

/** A look that may fail: that, too, is something found. */
export async function look(name: string, find: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
  try {
    return { name, ...(await find()) }
  } catch (thrown) {
    return { name, ok: false, sentence: messageOf(thrown) }
  }
}
