import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Disk } from '../../core/ports/meter.ts'

/** The file system that a database is on; what root alone may use does not count as free. Null for one in memory. */
export async function diskOf(path: string): Promise<Disk | null> {
  if (path === ':memory:') return null
  const { bavail, blocks, bsize } = await statfs(dirname(resolve(path)))
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
