import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { environmentOf } from './nodes.js'

const programs = fileURLToPath(new URL('programs', import.meta.url))
const adminKey = 'the-admin-key-of-the-matrix'
/** For Node 22.23 and later; older ones have no safe one. */
const withSafeSqlite = 22

/** `npm install posthorn` in an empty folder, and what people do next. */
export async function* checkInstalled(place) {
  const installed = await tried('npm install', () => install(place))
  yield installed
  if (installed.problem !== null) return
  yield await tried('require and import', () => says(place, ['load-all.cjs'], 'loaded 8 of 8'))
  yield await tried('a program delivers', () => says(place, ['deliver.mjs'], 'delivered and verified'))
  yield await tried('npx posthorn --version', () => npxSays(place, ['--version'], versionOf(place)))
  yield await tried('npx posthorn dev --once', () => npxSays(place, ['dev', '--once'], 'delivered'))
  yield await tried('npx posthorn serve', () => serves(place))
}

/** `npm install posthorn --omit=optional`: Node's own SQLite, or a line that says what to install. */
export async function* checkWithoutDrivers(place) {
  const installed = await tried('npm install --omit=optional', () => install(place, '--omit=optional'))
  yield installed
  if (installed.problem !== null) return
  yield await tried('require and import', () => says(place, ['load-all.cjs'], 'loaded 8 of 8'))
  const hasSqlite = Number(place.node.version.split('.')[0]) >= withSafeSqlite
  if (hasSqlite) {
    yield await tried('a program delivers with node:sqlite', () =>
      says(place, ['deliver.mjs'], 'delivered and verified'),
    )
    yield await tried('node:sqlite keeps the contract of stores', () =>
      says(place, ['store-suite.mjs'], 'store suite '),
    )
  } else {
    const line = 'Install it: npm install @photostructure/sqlite; or use a Node with SQLite 3.51.3 or later'
    yield await tried('SQLite says what to install', () => refuses(place, 'sqlite:posthorn.db', line))
  }
  yield await tried('PostgreSQL says what to install', () =>
    refuses(place, 'postgres://me@127.0.0.1:1/db', 'Install it: npm install pg'),
  )
}

/** Runs one check; its result is added to the name. */
async function tried(what, check) {
  try {
    const more = await check()
    return { what: more === undefined ? what : `${what} (${more})`, problem: null }
  } catch (error) {
    return { what, problem: [error.message, error.stdout, error.stderr].filter(Boolean).join('\n') }
  }
}

async function install({ node, folder, tarball }, ...options) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  await run({ node, folder }, node.node, [node.npm, 'install', '--no-audit', '--no-fund', ...options, tarball])
  cpSync(programs, folder, { recursive: true })
  return `${Math.round(sizeOf(join(folder, 'node_modules')) / 1_000_000)} MB`
}

async function says(place, script, wanted) {
  const { stdout } = await run(place, place.node.node, script)
  expectText(stdout, wanted)
  return script[0].startsWith('store-suite') ? stdout.trim() : undefined
}

async function npxSays(place, args, wanted) {
  const { stdout } = await run(place, place.node.node, [...npx(place), ...args])
  expectText(stdout, wanted)
}

/** Ends with 1 and one line. */
async function refuses(place, database, wanted) {
  const args = [...npx(place), 'migrate', '--database', database]
  const ended = await run(place, place.node.node, args).then(
    () => null,
    (error) => error,
  )
  if (ended === null || ended.code !== 1)
    throw new Error(`Expected posthorn migrate to end with 1, got ${ended?.code}.`)
  expectText(ended.stderr, wanted)
  // npm may warn about its own settings.
  const lines = ended.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('npm '))
  if (lines.length !== 1) throw new Error(`Expected one line, got ${ended.stderr}`)
}

async function serves(place) {
  const child = spawn(place.node.node, [...npx(place), 'serve'], {
    cwd: place.folder,
    // A separate process group: npx does not always pass signals on to the program.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...environmentOf(place.node),
      POSTHORN_PORT: '0',
      POSTHORN_ADMIN_KEY: adminKey,
      POSTHORN_LOG_LEVEL: 'error',
    },
  })
  const ended = once(child, 'exit')
  try {
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
    const url = /^posthorn listening on (\S+)$/.exec(String(line))?.[1]
    if (url === undefined) throw new Error(`Expected posthorn to listen, got ${line}.`)
    await answers(`${url}/readyz`)
    await answers(`${url}/`)
    await answers(`${url}/api/v1/app`, { authorization: `Bearer ${adminKey}` })
  } finally {
    process.kill(-Number(child.pid), 'SIGTERM')
  }
  await ended
}

async function answers(url, headers = {}) {
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`Expected 200 of ${url}, got ${response.status}.`)
}

function run({ node, folder }, program, args) {
  return promisify(execFile)(program, args, { cwd: folder, env: environmentOf(node), timeout: 300_000 })
}

/** `npx posthorn`, with this machine's npm on that Node. */
function npx({ node }) {
  return [node.npm.replace('npm-cli.js', 'npx-cli.js'), '--no-install', 'posthorn']
}

function versionOf({ folder }) {
  return JSON.parse(readFileSync(join(folder, 'node_modules/posthorn/package.json'), 'utf8')).version
}

function expectText(text, wanted) {
  if (!text.includes(wanted)) throw new Error(`Expected "${wanted}", got "${text.trim()}".`)
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
