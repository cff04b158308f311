import { existsSync } from 'node:fs'
import { chmod, copyFile, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { constants } from 'node:fs'
import { expected, messageOf, PosthornError } from '../../core/errors.ts'

// A backup and what comes of it hold payloads and, with the key beside it, secrets: they are for their owner only.
const ownerOnly = 0o600

/** Refuses to write over what is there. */
export function refuseExisting(paths: readonly string[], advice: string): void {
  const there = paths.find((path) => existsSync(path))
  if (there !== undefined) throw expected('invalid_argument', 'file', 'one that does not exist yet', there, advice)
}

/** An empty file of its owner's. */
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

/** Gives a file that is whole its name, for good: neither a crash of the machine nor a full disk leaves half of it there. */
export async function publish(from: string, to: string): Promise<void> {
  await onDisk(to, async () => {
    await flush(from)
    await rename(from, to)
    await flush(dirname(resolve(to)))
  })
}

/** Does the work; if it fails, nothing of the given files is left. */
export async function cleaningUp<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    for (const path of paths) await rm(path, { force: true })
    throw thrown
  }
}

/** True if both are there and hold the same. */
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
