import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Where the releases of Node are installed, once. */
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'posthorn-nodes')

/** A release of Node, which the registry has as a package for each platform, with the npm of this machine. */
export async function installNode(version) {
  const folder = join(cache, version)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const name = `node-${process.platform}-${process.arch}`
  const npm = await npmPath()
  await run(process.execPath, [npm, 'install', '--silent', '--no-audit', '--no-fund', `${name}@${version}`], {
    cwd: folder,
  })
  const binaries = join(folder, 'node_modules', name, 'bin')
  return { version, node: join(binaries, 'node'), npm, binaries }
}

/** The environment of a person who has this Node, and no settings of Posthorn. */
export function environmentOf({ binaries }) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS|NODE_ENV|POSTHORN_|INIT_CWD)/.test(name),
  )
  return { ...Object.fromEntries(kept), PATH: `${binaries}${delimiter}${process.env.PATH}` }
}

/** npm as a script, so that each Node can run it. */
async function npmPath() {
  if (process.env.npm_execpath?.endsWith('npm-cli.js')) return process.env.npm_execpath
  const { stdout } = await run('npm', ['root', '--global'])
  return join(stdout.trim(), 'npm/bin/npm-cli.js')
}
