// What all pages share: the built package, a receiver, and a PostgreSQL that is started on first use.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { says, start, stop } from './processes.js'
import { startLocalReceiver } from './local-receiver.js'

const here = fileURLToPath(new URL('.', import.meta.url))
export const root = join(here, '../..')

export async function makeWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-docs-'))
  const receiver = await startLocalReceiver()
  const [tarball] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root }),
  )
  const env = {
    ...kept(process.env),
    PATH: `${join(here, 'bin')}:${process.env.PATH}`,
    NODE_OPTIONS: `--import ${pathToFileURL(join(here, 'preload/register.js')).href}`,
    NO_COLOR: '1',
    CURL_HOME: join(here, 'bin'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    DOCS_CHECK_DIST: pathToFileURL(join(root, 'dist')).href,
    DOCS_CHECK_MAIN: join(root, 'dist/cli/main.js'),
    DOCS_CHECK_FOLDER: here,
    DOCS_CHECK_NODE_BIN: dirname(process.execPath),
    DOCS_CHECK_RECEIVER: receiver.url,
    DOCS_CHECK_TARBALL: join(folder, tarball.filename),
  }
  const postgres = lazyPostgres(env)
  let clones = 0
  return {
    folder,
    env,
    receiver,
    freshDatabase: postgres.freshDatabase,
    /** The project as in a fresh clone, including uncommitted changes. */
    freshClone() {
      const clone = join(folder, `clone-${(clones += 1)}`)
      const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
        cwd: root,
        encoding: 'utf8',
      })
      for (const file of files.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
        mkdirSync(dirname(join(clone, file)), { recursive: true })
        cpSync(join(root, file), join(clone, file))
      }
      return clone
    },
    async close() {
      await postgres.close()
      await receiver.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Without the settings of the person who runs this. */
function kept(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => ['PATH', 'HOME', 'LANG', 'TMPDIR'].includes(name)),
  )
}

/** Servers that are started on first use: the most used release, and the oldest. */
function lazyPostgres(env) {
  const servers = new Map()
  let count = 0
  async function url(isOldest) {
    if (!servers.has(isOldest)) {
      const command = `exec node ${join(root, 'scripts/postgres.js')} ${isOldest ? '--oldest' : ''} < <(exec sleep 3600)`
      servers.set(isOldest, start(command, { cwd: root, env: { ...env, NODE_OPTIONS: '' } }))
    }
    return (await says(servers.get(isOldest), /postgres:\/\/\S+/))[0]
  }
  return {
    /** A separate database, with a table of invoices as in the guides. */
    async freshDatabase({ isOldest = false } = {}) {
      const admin = await url(isOldest)
      const name = `docs_${(count += 1)}`
      await query(admin, `create database ${name}`)
      const own = admin.replace(/\/postgres$/, `/${name}`)
      await query(
        own,
        'create table invoices (id integer primary key, paid boolean not null default false); insert into invoices values (6), (7)',
      )
      return own
    },
    async close() {
      for (const server of servers.values()) await stop(server)
    },
  }
}

export async function query(connectionString, sql) {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
