import { existsSync } from 'node:fs'
import { chmod, copyFile, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { constants } from 'node:fs'
import { expected, messageOf, PosthornError } from '../../core/errors.ts'

// Backups and restored files contain payloads and, with the key beside them, secrets: only their owner may read them.
const ownerOnly = 0o600

/** Refuses to overwrite existing files. */
export function refuseExisting(paths: readonly string[], advice: string): void {
  const there = paths.find((path) => existsSync(path))
  if (there !== undefined) throw expected('invalid_argument', 'file', 'one that does not exist yet', there, advice)
}

/** An empty file that only its owner can read. */
export async function createFile(path: string): Promise<void> {
  await onDisk(path, () => writeFile(path, '', { mode: ownerOnly, flag: 'wx' }))
}

export async function copyToOwn(from: string, to: string): Promise<void> {
  await onDisk(to, async () => {
    await copyFile(from, to, constants.COPYFILE_EXCL)
    await chmod(to, ownerOnly)
    await flush(to)
  })
}

/** Gives a complete file its final name, durably: neither a crash of the machine nor a full disk leaves a partial file there. */
export async function publish(from: string, to: string): Promise<void> {
  await onDisk(to, async () => {
    await flush(from)
    await rename(from, to)
    await flush(dirname(resolve(to)))
  })
}

/** Does the work; if it fails, removes the given files. */
export async function cleaningUp<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    for (const path of paths) await rm(path, { force: true })
    throw thrown
  }
}

/** True if both exist and have the same content. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  if (!existsSync(one) || !existsSync(other)) return false
  return (await readFile(one)).equals(await readFile(other))
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function onDisk(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw new PosthornError(
      'store_failed',
      `Expected to write ${path}, got "${messageOf(cause)}". Does its directory exist, may this user write there, and is there room?`,
      { cause },
    )
  }
}
