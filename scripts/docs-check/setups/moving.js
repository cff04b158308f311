// What somebody has who moves: a file that nothing runs on, a PostgreSQL for it and one to restore into, and a Svix with a token.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillDatabase } from './shop.js'
import { startSvix } from './svix.js'

const newest = 18

export async function openMoving(own) {
  await fillDatabase(join(own.folder, 'posthorn.db'))
  const svix = await startSvix()
  own.closing.push(svix.close)
  writeFileSync(join(own.folder, 'svix-token'), `${svix.token}\n`, { mode: 0o600 })
  const isOldest = releaseOf('pg_dump') < newest
  Object.assign(own.env, {
    SVIX_URL: svix.url,
    POSTGRES_URL: await own.world.freshDatabase({ isOldest }),
    RESTORE_URL: await own.world.freshDatabase({ isOldest }),
  })
}

/** A pg_dump refuses servers newer than itself. */
function releaseOf(command) {
  const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' })
  const [, release] = /(\d+)/.exec(stdout ?? '') ?? []
  if (release === undefined) throw new Error(`Expected ${command} to be installed: Debian has it in postgresql-client.`)
  return Number(release)
}
