import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { runCheck, trouble, well } from './check.ts'
import type { Check } from './check.ts'

const gibibyte = 1024 ** 3
const fewBytes = gibibyte
const tooFewBytes = gibibyte / 10

/** How much space is free next to a file. */
export function diskCheck(file: string): Promise<Check> {
  return runCheck('disk', async () => {
    const { bavail, bsize } = await statfs(dirname(file))
    const freeBytes = bavail * bsize
    const found = `${(freeBytes / gibibyte).toFixed(1)} GiB are free next to ${file}.`
    if (freeBytes >= fewBytes) return well(found)
    return trouble(freeBytes < tooFewBytes ? 'fail' : 'warn', found, 'Make room: a full disk stops every send.')
  })
}
