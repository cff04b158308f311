import { readFile, writeFile } from 'node:fs/promises'
import { makeKey, readRing } from '../shared/secrets.ts'
import type { KeyRing } from '../shared/secrets.ts'

/** The keys beside a database, newest first, one per line; null if there is no such file. */
export async function readKeyFile(path: string): Promise<KeyRing | null> {
  try {
    return readRing(await readFile(path, 'utf8'), path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return null
    throw thrown
  }
}

/** Creates a key that only this user can read. If another process was faster, its key is used. */
export async function makeKeyFile(path: string): Promise<{ ring: KeyRing; made: boolean }> {
  const key = makeKey()
  try {
    await writeFile(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    return { ring: [key], made: true }
  } catch (thrown) {
    const theirs = hasCode(thrown, 'EEXIST') ? await readKeyFile(path) : null
    if (theirs === null) throw thrown
    return { ring: theirs, made: false }
  }
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code
}
