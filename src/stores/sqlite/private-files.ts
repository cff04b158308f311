import { closeSync, openSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'

const ownerOnly = 0o600
const forOthers = 0o077

/** Creates a database that only its owner can read, before SQLite would create one readable by all; its log inherits the mode. */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', ownerOnly))
  } catch {
    // SQLite is about to fail for the same reason, with a better message.
  }
}

/** Removes everyone else's access to the files of a database; returns notes for the operator. */
export async function makePrivate(path: string): Promise<string[]> {
  const notes: string[] = []
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.key`]) {
    const mode = await modeOf(file)
    if (mode === null || (mode & forOthers) === 0) continue
    const was = `${file} was readable by others (mode ${mode.toString(8)})`
    notes.push(
      (await isChanged(file))
        ? `${was}. It is its owner's only now.`
        : `${was}, and this user may not change that. Run as its owner: chmod 600 ${file}`,
    )
  }
  return notes
}

/** Null if the file does not exist. */
async function modeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).mode & 0o777
  } catch {
    return null
  }
}

async function isChanged(file: string): Promise<boolean> {
  try {
    await chmod(file, ownerOnly)
    return true
  } catch {
    return false
  }
}
