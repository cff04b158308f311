import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const downloadMs = 120_000

/** The folder with `prometheus` and `promtool`: installed on this machine, or from Debian's package, which is cached in `kept`. */
export async function findPrometheus(kept) {
  const installed = (process.env.PATH ?? '').split(delimiter).find((folder) => hasBoth(folder))
  if (installed !== undefined) return installed
  const unpacked = join(kept, 'usr/bin')
  if (!hasBoth(unpacked)) await unpackDebian(kept)
  return unpacked
}

/** Runs promtool to its end; its output is the error. */
export async function promtool(binaries, args, options = {}) {
  try {
    await run(join(binaries, 'promtool'), args, options)
  } catch (error) {
    throw new Error(`promtool ${args.slice(0, 2).join(' ')} failed:\n${error.stdout}${error.stderr}`, { cause: error })
  }
}

/** A Prometheus on loopback that scrapes every second, and is removed with its folder. */
export async function startPrometheus(binaries, folder, { targets, keyFile, rules }) {
  const port = await freePort()
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, configOf({ targets, keyFile, rules }))
  await promtool(binaries, ['check', 'config', config])
  const child = spawn(
    join(binaries, 'prometheus'),
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const ended = once(child, 'exit')
  const ask = (path) => get(`http://127.0.0.1:${port}${path}`)
  await until('Prometheus is ready', async () => {
    if (child.exitCode !== null) throw new Error(`Expected Prometheus to go on, and it ended with ${child.exitCode}.`)
    return (await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null))?.ok === true
  })
  return {
    /** The present series of an expression. */
    query: async (expression) => (await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`)).result,
    names: () => ask('/api/v1/label/__name__/values'),
    rules: async () => (await ask('/api/v1/rules')).groups.flatMap((group) => group.rules),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Polls until the condition holds, for a minute. */
export async function until(what, isSo) {
  for (const endsAt = Date.now() + 60_000; !(await isSo());) {
    if (Date.now() > endsAt) throw new Error(`Expected within a minute that ${what}, and it was not so.`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

function configOf({ targets, keyFile, rules }) {
  return `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [${JSON.stringify(rules)}]
scrape_configs:
  - job_name: posthorn
    authorization: { credentials_file: ${JSON.stringify(keyFile)} }
    static_configs: [{ targets: ${JSON.stringify(targets)} }]
`
}

async function get(url) {
  const response = await fetch(url)
  const { status, data, error } = await response.json()
  if (status !== 'success') throw new Error(`Prometheus refused ${decodeURIComponent(url)}: ${error}`)
  return data
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

function hasBoth(folder) {
  try {
    for (const name of ['prometheus', 'promtool']) accessSync(join(folder, name), constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Into a folder next to it first: a half unpacked one must not be used. */
async function unpackDebian(kept) {
  const half = `${kept}-${process.pid}`
  mkdirSync(half, { recursive: true })
  try {
    await run('apt-get', ['download', 'prometheus'], { cwd: half, timeout: downloadMs })
    const file = readdirSync(half).find((name) => name.endsWith('.deb')) ?? ''
    await run('dpkg', ['-x', file, '.'], { cwd: half, timeout: downloadMs })
    rmSync(join(half, file))
    if (existsSync(kept)) rmSync(kept, { recursive: true })
    renameSync(half, kept)
  } catch (error) {
    rmSync(half, { recursive: true, force: true })
    throw new Error(
      `Expected Prometheus on the PATH, or as a package of Debian, and got neither: ${error.stderr || error.message}\nInstall it with: apt-get install prometheus`,
      { cause: error },
    )
  }
}
