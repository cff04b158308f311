import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { DiskSpace } from '../../core/ports/ports.ts'

/** How full the disk of a database is; what root alone may use counts as used. In memory there is none to fill. */
export async function diskOf(path: string): Promise<DiskSpace> {
  if (path === ':memory:') return { freeBytes: 0, totalBytes: 0 }
  const { bavail, blocks, bsize } = await statfs(dirname(resolve(path)))
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
