// A database whose secrets are sealed with a key from the environment, for commands that change that key: no other snippet depends on it.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { run } from '../processes.js'
import { fillDatabase } from './shop.js'

export async function openSealed(own) {
  const file = join(own.folder, 'posthorn.db')
  const secretsKey = randomBytes(32).toString('base64')
  await fillDatabase(file, { secretsKey })
  Object.assign(own.env, { POSTHORN_DATABASE_URL: `sqlite:${file}`, POSTHORN_SECRETS_KEY: secretsKey })
  /** Every secret must open with the remaining key; the old one must be gone. */
  own.after = async () => {
    if (own.env.POSTHORN_SECRETS_KEY.includes(secretsKey))
      throw new Error('Expected the old key to be dropped, and it is still there.')
    await run('posthorn secrets rotate', { cwd: own.folder, env: own.env })
  }
}
