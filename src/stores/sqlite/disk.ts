import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disk } from '../../core/ports/meter.ts'

/** The file system that a database is on, as far as it is free for us; null for one in memory. */
export async function diskOf(path: string): Promise<Disk | null> {
  if (path === ':memory:') return null
  const { bavail, blocks, bsize } = await statfs(dirname(path))
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
