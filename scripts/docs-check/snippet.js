// How each kind of snippet is checked; problems are thrown.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runApi } from './ways/embedded-api.js'
import { runModule } from './ways/module.js'
import { outputProblem } from './ways/output.js'
import { run } from './processes.js'
import { makeSetup } from './setup.js'
import { runReceiver } from './ways/receiver.js'
import { runShell } from './ways/shell.js'
import { query, root } from './world.js'

export async function checkSnippet(fence, setup) {
  await ways[fence.way.kind](fence, setup)
}

/** How each kind of snippet is run. */
const ways = {
  shell: runShell,
  module: runModule,
  receiver: runReceiver,
  api: runApi,
  /** The commands of a fence, in a separate setup, so that the rest of the page does not depend on what they do. */
  async setup(fence, { world, folder }) {
    const own = await makeSetup(world, { path: join(basename(folder), fence.way.rest), setup: fence.way.rest })
    try {
      await runShell(fence, own)
      await own.after?.()
    } finally {
      await own.close()
    }
  },
  async sql({ code }, setup) {
    setup.databaseUrl ??= await setup.world.freshDatabase()
    await query(setup.databaseUrl, code)
  },
  output({ code }, { last, fill }) {
    const problem = outputProblem(fill(code), last?.stdout ?? '')
    if (problem !== null) throw new Error(problem)
  },
  json({ code }) {
    JSON.parse(code)
  },
  /** Written to a file that the commands after it use, or the one in the comment: "file NAME, then COMMAND". */
  async file({ code, way }, setup) {
    const [, name, command] = /^(\S+?)(?:, then (.+))?$/.exec(way.rest)
    writeFileSync(join(setup.folder, name), setup.fill(code))
    if (command !== undefined) await runShell({ code: command }, setup)
  },
  'excerpt of'({ code, way }) {
    if (!trimmed(readFileSync(join(root, way.rest), 'utf8')).includes(trimmed(code)))
      throw new Error(`Expected an excerpt of ${way.rest}, and it has changed.`)
  },
  async 'output of'({ code, way }, setup) {
    const { stdout } = await run(setup.fill(way.rest), { cwd: setup.folder, env: setup.env })
    const problem = outputProblem(code, stdout)
    if (problem !== null) throw new Error(problem)
  },
}

/** The indentation of lines does not matter. */
function trimmed(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
}
