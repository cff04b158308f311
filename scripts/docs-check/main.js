// Runs every snippet of README.md and docs, and follows every link: npm run docs:check [-- PAGE…]
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linkProblems } from './links.js'
import { markProblems, pagesOf, readPage } from './pages.js'
import { makeSetup } from './setup.js'
import { checkSnippet } from './snippet.js'
import { NotHere } from './ways/receiver.js'
import { typeProblems } from './ways/types.js'
import { makeWorld, root } from './world.js'

const libraries = fileURLToPath(new URL('libraries', import.meta.url))
const wanted = process.argv.slice(2)
const paths = pagesOf(root)
const pages = paths.map((path) => readPage(root, path))
const chosen = pages.filter(({ path }) => wanted.length === 0 || wanted.some((part) => path.includes(part)))
const problems = { marks: markProblems(pages), links: paths.flatMap((path) => linkProblems(root, path)) }
for (const problem of [...problems.marks, ...problems.links]) console.log(problem)

installLibraries()
const wrongTypes = typeProblems(chosen)
for (const problem of wrongTypes) console.log(problem)
const world = await makeWorld()
const totals = { run: 0, notRun: 0, failed: problems.marks.length + wrongTypes.length }
try {
  for (const page of chosen) await checkPage(page)
} finally {
  await world.close()
}
console.log(
  `snippets ${totals.run} run, ${totals.notRun} marked not run, ${totals.failed} failed, links ${problems.links.length === 0 ? 'ok' : `broken: ${problems.links.length}`}`,
)
process.exit(totals.failed + problems.links.length === 0 ? 0 : 1)

/** The libraries of the guides, which nothing else needs: installed once, in a separate folder. */
function installLibraries() {
  const lock = readFileSync(join(libraries, 'package-lock.json'), 'utf8')
  const note = join(libraries, 'node_modules/.installed')
  if (existsSync(note) && readFileSync(note, 'utf8') === lock) return
  console.log('Installing the libraries of the guides …')
  // SQLite is compiled against the headers of this Node, if they are installed; they cannot be downloaded everywhere.
  const prefix = dirname(dirname(process.execPath))
  const headers = existsSync(join(prefix, 'include/node')) ? { npm_config_nodedir: prefix } : {}
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: libraries,
    stdio: 'inherit',
    env: { ...process.env, ...headers },
  })
  writeFileSync(note, lock)
}

async function checkPage(page) {
  const snippets = page.fences.filter(({ way }) => way.kind !== 'drawing' && way.kind !== 'unknown')
  if (snippets.length === 0) return
  const ends = await endsOf(page, snippets)
  for (const end of ends) totals[end] += 1
  console.log(`${ends.includes('failed') ? 'FAILED' : 'ok    '} ${page.path} (${snippets.length})`)
}

/** How each snippet ended; if its setup fails, none of the page's snippets run. */
async function endsOf(page, snippets) {
  try {
    const setup = await makeSetup(world, page)
    try {
      const ends = []
      for (const fence of snippets) ends.push(await endOf(page, fence, setup))
      return ends
    } finally {
      await setup.close()
    }
  } catch (thrown) {
    console.log(`${page.path}: ${thrown.message}`)
    return snippets.map(() => 'failed')
  }
}

async function endOf({ path }, fence, setup) {
  if (fence.way.kind === 'not run') return 'notRun'
  try {
    await checkSnippet(fence, setup)
    return 'run'
  } catch (thrown) {
    const isHere = !(thrown instanceof NotHere)
    console.log(`${path}:${fence.line}: ${isHere ? '' : 'not run here, because '}${thrown.message}`)
    return isHere ? 'failed' : 'notRun'
  }
}
