import { open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { messageOf, PosthornError } from '../../core/errors.ts'
import type { Posthorn } from '../../posthorn.ts'

const pageRows = 250

/** Where the first key may be shown. */
interface Place {
  /** A person sees it, and no log stores it. */
  readonly isTerminal: boolean
  /** The database's file; null if it has none. */
  readonly database: string | null
}

/**
 * Creates a key with access to everything, unless there is already one; then returns null. Otherwise returns the line to print: the key itself
 * on a terminal, or the file that contains it, because stdout ends up in logs.
 */
export async function createFirstKey({ keys }: Posthorn, { isTerminal, database }: Place): Promise<string | null> {
  for (let after: string | null = null; ;) {
    const page = await keys.list({}, { limit: pageRows, after })
    if (page.some(({ applicationId, access }) => applicationId === null && access === 'write')) return null
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) break
    after = last.id
  }
  const create = async (): Promise<string> => (await keys.create({ name: 'admin' })).token
  if (isTerminal) return `posthorn admin key, shown only now: ${await create()}`
  const file = resolve(database === null || database === ':memory:' ? 'posthorn.admin-key' : `${database}.admin-key`)
  await writeKeyFile(file, create)
  return `posthorn admin key is in ${file}, readable by this user only: keep it elsewhere, and delete the file`
}

/** The file first: a key that nobody gets to see would still count as the first one. */
async function writeKeyFile(file: string, create: () => Promise<string>): Promise<void> {
  const handle = await openNew(file)
  try {
    await handle.writeFile(`${await create()}\n`)
    await handle.sync()
  } catch (thrown) {
    await rm(file, { force: true })
    throw thrown
  } finally {
    await handle.close()
  }
}

/** Never an existing file: it may be another key, or a link that leads elsewhere. */
async function openNew(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600)
  } catch (thrown) {
    throw new PosthornError(
      'invalid_argument',
      `Expected to write the first API key to ${file}, got: ${messageOf(thrown)}. Move that file away if it is there, or give a key of your own as POSTHORN_ADMIN_KEY.`,
      { cause: thrown },
    )
  }
}
