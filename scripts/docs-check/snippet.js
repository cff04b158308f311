// How each kind of snippet is checked; what is wrong with it is thrown.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runApi } from './ways/embedded-api.js'
import { runModule } from './ways/module.js'
import { outputProblem } from './ways/output.js'
import { run } from './processes.js'
import { makeStage } from './stage.js'
import { runReceiver } from './ways/receiver.js'
import { runShell } from './ways/shell.js'
import { query, root } from './world.js'

export async function checkSnippet(fence, stage) {
  await ways[fence.way.kind](fence, stage)
}

/** How each kind of snippet is run. */
const ways = {
  shell: runShell,
  module: runModule,
  receiver: runReceiver,
  api: runApi,
  /** The commands of a fence, on a stage of their own, so that the rest of the page does not depend on what they do. */
  async stage(fence, { world, folder }) {
    const own = await makeStage(world, { path: join(basename(folder), fence.way.rest), stage: fence.way.rest })
    try {
      await runShell(fence, own)
      await own.after?.()
    } finally {
      await own.close()
    }
  },
  async sql({ code }, stage) {
    stage.databaseUrl ??= await stage.world.freshDatabase()
    await query(stage.databaseUrl, code)
  },
  output({ code }, { last, fill }) {
    const problem = outputProblem(fill(code), last?.stdout ?? '')
    if (problem !== null) throw new Error(problem)
  },
  json({ code }) {
    JSON.parse(code)
  },
  /** Written to a file that the commands after it use, or the one in the comment: "file NAME, then COMMAND". */
  async file({ code, way }, stage) {
    const [, name, command] = /^(\S+?)(?:, then (.+))?$/.exec(way.rest)
    writeFileSync(join(stage.folder, name), stage.fill(code))
    if (command !== undefined) await runShell({ code: command }, stage)
  },
  'excerpt of'({ code, way }) {
    if (!trimmed(readFileSync(join(root, way.rest), 'utf8')).includes(trimmed(code)))
      throw new Error(`Expected an excerpt of ${way.rest}, and it has changed.`)
  },
  async 'output of'({ code, way }, stage) {
    const { stdout } = await run(stage.fill(way.rest), { cwd: stage.folder, env: stage.env })
    const problem = outputProblem(code, stdout)
    if (problem !== null) throw new Error(problem)
  },
}

/** How deep lines are indented does not matter. */
function trimmed(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
}
