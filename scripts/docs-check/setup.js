// Where the snippets of one page run, one after the other: a folder, an environment, ports, and the ids that commands have shown.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { stop } from './processes.js'
import { openAuthentication } from './setups/authentication.js'
import { openMoving } from './setups/moving.js'
import { openSealed } from './setups/sealed.js'
import { openShop } from './setups/shop.js'
import { freePort } from './world.js'

/** What exists when a page, or a single snippet, starts, by the name in its comment. */
const setups = {
  folder: () => undefined,
  shop: openShop,
  moving: openMoving,
  async postgres({ world, env }) {
    env.POSTGRES_URL = await world.freshDatabase()
  },
  authentication: openAuthentication,
  sealed: openSealed,
}

/** Ports that pages name: each page gets its own instead, so that they never conflict. */
const namedPorts = ['8071', '8072', '3000', '9464', '9465']

export async function makeSetup(world, { path, setup }) {
  if (!Object.hasOwn(setups, setup))
    throw new Error(`Expected one of the setups ${Object.keys(setups).join(', ')}, got ${setup}.`)
  const folder = join(world.folder, path.replaceAll(/[/.]/g, '-'))
  mkdirSync(folder, { recursive: true })
  const ports = new Map()
  for (const named of namedPorts) ports.set(named, String(await freePort()))
  const own = {
    world,
    folder,
    env: { ...world.env, POSTHORN_PORT: ports.get('8071'), DOCS_CHECK_LISTEN_PORT: ports.get('8072') },
    /** The state of the page so far. */
    prelude: [],
    running: [],
    closing: [],
    shown: new Map(),
    last: null,
    databaseUrl: null,
    fill: (code) => filledIn(code, ports, own.shown),
    note: (text) => noteIds(own.shown, text),
    async close() {
      for (const program of own.running.toReversed()) await stop(program)
      for (const close of own.closing) await close()
    },
  }
  try {
    await setups[setup](own)
    return own
  } catch (thrown) {
    await own.close()
    throw thrown
  }
}

/** The page's own ports; `ep_…` and the like stand for the last id that a command has shown. */
function filledIn(code, ports, shown) {
  return code
    .replaceAll(/\b\d{4}\b/g, (number) => ports.get(number) ?? number)
    .replaceAll(/\b([a-z]{2,5})_…/g, (text, kind) => shown.get(kind) ?? text)
}

function noteIds(shown, text) {
  for (const [id, kind] of text.matchAll(/\b(app|ep|msg|dlv|job|key|phk|whsec)_[\w+/=-]{16,}/g)) shown.set(kind, id)
}
