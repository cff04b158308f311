import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** All mutants of a folder, one per file, by name: the path without the extension. */
export async function loadMutants(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .toSorted()
  return Promise.all(
    files.map(async (file) => {
      const { mutant } = await import(pathToFileURL(join(folder, file)).href)
      return checked(file.slice(0, -'.js'.length), mutant)
    }),
  )
}

function checked(name, mutant) {
  const { says, joins, file, find, replace, caughtBy, simulated } = mutant ?? {}
  const isWhole = [says, file, find].every(isText) && typeof replace === 'string' && (joins === null || isText(joins))
  if (isWhole && namesAScenario(simulated) && (namesATest(caughtBy) || namesACommand(caughtBy)))
    return { name, ...mutant }
  throw new Error(
    `Expected the mutant ${name} to have \`says\`, \`joins\` (or null), \`file\`, \`find\`, \`replace\`, \`caughtBy\` with a test or a command, and \`simulated\`, if at all, with \`seeds\` and \`scenario\`.`,
  )
}

function namesATest(caughtBy) {
  return isText(caughtBy?.file) && isText(caughtBy.title)
}

/** Only for those that the simulator must find. */
function namesAScenario(simulated) {
  return simulated === undefined || (Number.isInteger(simulated.seeds) && isText(simulated.scenario))
}

function namesACommand(caughtBy) {
  return Array.isArray(caughtBy?.command) && isText(caughtBy.says)
}

function isText(value) {
  return typeof value === 'string' && value !== ''
}
