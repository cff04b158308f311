import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Disk } from '../../core/ports/meter.ts'

/** The file system of a database; space reserved for root does not count as free. Null for a database in memory. */
export async function diskOf(path: string): Promise<Disk | null> {
  if (path === ':memory:') return null
  const { bavail, blocks, bsize } = await statfs(dirname(resolve(path)))
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
