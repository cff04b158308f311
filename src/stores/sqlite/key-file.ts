import { readFile, writeFile } from 'node:fs/promises'
import { makeKey, readKey } from '../shared/secrets.ts'

/** The key beside a database; null if there is none. */
export async function readKeyFile(path: string): Promise<Uint8Array | null> {
  try {
    return readKey(await readFile(path, 'utf8'), path)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return null
    throw thrown
  }
}

/** Makes a key that only this user may read. If another process was first, theirs is the key. */
export async function makeKeyFile(path: string): Promise<{ key: Uint8Array; made: boolean }> {
  const key = makeKey()
  try {
    await writeFile(path, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    return { key, made: true }
  } catch (thrown) {
    const theirs = hasCode(thrown, 'EEXIST') ? await readKeyFile(path) : null
    if (theirs === null) throw thrown
    return { key: theirs, made: false }
  }
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code
}
