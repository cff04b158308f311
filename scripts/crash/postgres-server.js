import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { pause } from './processes.js'

// The user that PostgreSQL runs as if this process belongs to root.
const nobody = 65_534

/** A separate server, which may be crashed, and leaves nothing behind. */
export async function startServer() {
  const script = fileURLToPath(new URL('../postgres.js', import.meta.url))
  // In a separate process group: it cleans up when the pipe closes, not on Ctrl-C.
  const child = spawn(process.execPath, [script, '--durable'], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const exited = once(child, 'exit')

  async function ask(command) {
    const answer = once(lines, 'line')
    if (command !== null) child.stdin.write(`${command}\n`)
    const [line] = await Promise.race([answer, exited.then(() => [])])
    if (line === undefined) throw new Error('Expected a PostgreSQL, and it ended: see above.')
    return line
  }

  return {
    url: await ask(null),
    schema: 'posthorn',
    async crash(downMs) {
      await ask('crash')
      await pause(downMs)
      await ask('start')
    },
    async stop() {
      child.stdin.end()
      await exited
    },
  }
}

/** A separate schema in an existing database. */
export function schemaOn(url) {
  const schema = `posthorn_crash_${randomBytes(6).toString('hex')}`
  return { url, schema, crash: null, stop: () => query(url, `drop schema if exists ${schema} cascade`) }
}

/** New tables are created there; the write-ahead log stays where it was, because without it the server itself would end. */
export async function keepTablesOn(path, url) {
  const folder = join(path, 'tables')
  mkdirSync(folder, { mode: 0o700 })
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody)
  await query(url, `create tablespace small location '${folder}'`, 'alter role postgres set default_tablespace = small')
}

async function query(url, ...texts) {
  const client = new Client(url)
  await client.connect()
  try {
    for (const text of texts) await client.query(text)
  } finally {
    await client.end()
  }
}
