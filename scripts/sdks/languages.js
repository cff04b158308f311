import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
/** Where the clients of other languages are installed, once. */
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'posthorn-sdks')

/**
 * Each language with its client (a second one after a hyphen): `prepare` installs the client from the language's own registry and returns
 * the command that runs it, or null and a reason if this machine cannot.
 */
export const languages = {
  javascript: {
    client: 'svix 1.99.1',
    prepare: () => ({
      command: [process.execPath, here('javascript/tour.mjs')],
      environment: { SDKS_MODULE: here('../../node_modules/svix/dist/index.js') },
    }),
  },
  'javascript-2': {
    client: 'svix 2.5.0, on Node 22',
    prepare() {
      const folder = folderOf('javascript-2')
      writeFileSync(join(folder, 'package.json'), '{"private":true}')
      // It needs a newer Node than this project does, which the registry has as a package for each platform.
      const node = `node-${process.platform}-${process.arch}`
      if (!run('npm', ['install', '--silent', '--no-audit', '--no-fund', 'svix@2.5.0', `${node}@22.23.3`], folder))
        return missing('npm could not install it with Node 22')
      const inFolder = (path) => join(folder, 'node_modules', path)
      return {
        command: [inFolder(`${node}/bin/node`), here('javascript/tour.mjs')],
        environment: { SDKS_MODULE: inFolder('svix/dist/index.mjs') },
      }
    },
  },
  python: {
    client: 'svix from PyPI',
    prepare() {
      if (!has('python3')) return missing('python3')
      const folder = folderOf('python')
      const python = join(folder, 'venv/bin/python')
      if (!existsSync(python) && !run('python3', ['-m', 'venv', 'venv'], folder)) return missing('python3 -m venv')
      return run(python, ['-m', 'pip', 'install', '-q', 'svix==2.9.1'], folder)
        ? { command: [python, here('python/tour.py')] }
        : missing('pip could not install svix')
    },
  },
  go: {
    client: 'github.com/svix/svix-webhooks',
    prepare() {
      if (!has('go', ['version'])) return missing('go')
      const folder = copied('go')
      return run('go', ['build', '-mod=mod', '-o', 'tour', '.'], folder)
        ? { command: [join(folder, 'tour')] }
        : missing('go could not build the tour')
    },
  },
  java: {
    client: 'com.svix:svix from Maven Central',
    prepare() {
      if (!has('java', ['-version']) || !has('mvn', ['-v'])) return missing('java and mvn')
      const folder = copied('java')
      if (!run('mvn', ['-q', '-B', 'package', 'dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'], folder))
        return missing('mvn could not build the tour')
      return { command: ['sh', '-c', 'exec java -cp "target/classes:$(cat classpath.txt)" Tour'], folder }
    },
  },
  rust: {
    client: 'svix from crates.io',
    prepare() {
      if (!has('cargo')) return missing('cargo')
      const folder = copied('rust')
      return run('cargo', ['build', '-q'], folder)
        ? { command: [join(folder, 'target/debug/tour')] }
        : missing('cargo could not build the tour')
    },
  },
}

function missing(reason) {
  return { command: null, reason }
}

function has(program, args = ['--version']) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

function run(program, args, folder) {
  return spawnSync(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}

function folderOf(language) {
  const folder = join(cache, language)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** The language's sources, copied into the cache: nothing is built in the project. */
function copied(language) {
  const folder = folderOf(language)
  cpSync(here(language), folder, { recursive: true })
  return folder
}
