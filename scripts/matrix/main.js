// Packs the package, and tries it as its users do, in empty folders, on every supported Node: npm run test:matrix
//   npm run test:matrix -- [--node 22.23.3]
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { checkInstalled, checkWithoutDrivers } from './checks.js'
import { installNode } from './nodes.js'

const { values: given } = parseArgs({ options: { node: { type: 'string', multiple: true } } })
const root = fileURLToPath(new URL('../..', import.meta.url))
/** The oldest that `engines` allows, and the newest of each line when this was last updated. */
const versions = given.node ?? ['20.19.0', '22.23.3', '24.21.0']

const folder = mkdtempSync(join(tmpdir(), 'posthorn-matrix-'))
const counts = { passed: 0, failed: 0 }
try {
  const tarball = await pack()
  for (const version of versions) await visit(version, tarball)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`Node ${versions.join(', ')}: ${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1

/** What `npm publish` would send, `prepare` included. */
async function pack() {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  return join(folder, stdout.trim().split('\n').at(-1))
}

async function visit(version, tarball) {
  const node = await installNode(version)
  for (const { name, check } of [
    { name: 'installed', check: checkInstalled },
    { name: 'without the drivers', check: checkWithoutDrivers },
  ]) {
    const place = join(folder, `${version} ${name}`)
    mkdirSync(place)
    for await (const { what, problem } of check({ node, folder: place, tarball })) {
      counts[problem === null ? 'passed' : 'failed'] += 1
      console.log(`Node ${version}, ${name}: ${what}${problem === null ? '' : `: FAILED: ${problem}`}`)
    }
  }
}
