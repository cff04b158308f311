import { existsSync } from 'node:fs'
import { openConnection } from '../sqlite/connection.ts'
import { storeError } from '../sqlite/errors.ts'
import { cleaningUp, copyToOwn, createFile, publish, refuseExisting } from './files.ts'
import { inspectSnapshot } from './snapshot.ts'
import type { Snapshot } from './snapshot.ts'

interface BackedUp extends Pick<Snapshot, 'deliveries' | 'open' | 'inFlight'> {
  /** The path of the copied key; null if there was none beside the database. */
  readonly keyFile: string | null
}

/**
 * Copies a file and its key as of one moment, while others read and write it. Not page by page: such a copy starts over with every write by
 * another process, and would never end under load.
 */
export async function backup(path: string, to: string): Promise<BackedUp> {
  const [partial, keyFile] = [`${to}.partial`, `${to}.key`]
  refuseExisting([to, keyFile, partial], 'Choose another name, or move that one away.')
  const hasKey = existsSync(`${path}.key`)
  return cleaningUp([partial, keyFile], async () => {
    await createFile(partial)
    const { deliveries, open, inFlight } = takeSnapshot(path, partial)
    // The key first, so that a backup never exists without its key.
    if (hasKey) await copyToOwn(`${path}.key`, keyFile)
    await publish(partial, to)
    return { deliveries, open, inFlight, keyFile: hasKey ? keyFile : null }
  })
}

function takeSnapshot(path: string, to: string): Snapshot {
  try {
    const connection = openConnection(path)
    try {
      connection.prepare('vacuum into ?1').run(to)
      return inspectSnapshot(connection, to)
    } finally {
      connection.close()
    }
  } catch (thrown) {
    throw storeError(thrown)
  }
}
