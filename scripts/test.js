// The whole test command: the tests (which also lint, type-check and build: UC-build), what docs/spec.md requires of the run, then one closing line.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { judgeRun } from './judge-run.js'

const isFast = process.argv.includes('--fast')
const filters = process.argv.slice(2).filter((argument) => argument !== '--fast')
const reportFile = '.test/report.json'
mkdirSync('.test', { recursive: true })
rmSync(reportFile, { force: true })

// Once for all files that run the package as its users do; a file that runs alone builds its own.
const built = resolve(mkdtempSync('.test/built-'))
if (!build(built)) conclude({ passed: 0, failed: 1, problems: ['The build failed.'] })

const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile=${reportFile}`,
]
const run = spawnSync(process.execPath, [...vitest, ...filters], {
  stdio: 'inherit',
  env: { ...process.env, POSTHORN_TEST_FAST: isFast ? '1' : '', POSTHORN_TEST_BUILT: built },
})
rmSync(built, { recursive: true, force: true })
conclude(judged())

/** A fast run does not check types: the whole one does, and so does `npm run typecheck`. Nor does it open the dashboard. */
function build(folder) {
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', `${folder}/dist`]
  const bundler = [
    'node_modules/vite/bin/vite.js',
    'build',
    '--config',
    'src/ui/vite.config.ts',
    '--outDir',
    `${folder}/dist/ui`,
    '--logLevel',
    'error',
  ]
  const tools = isFast ? [[...compiler, '--noCheck']] : [compiler, bundler]
  return tools.every((tool) => spawnSync(process.execPath, tool, { stdio: 'inherit' }).status === 0)
}

function judged() {
  if (!existsSync(reportFile)) return { passed: 0, failed: 1, problems: ['The run left no report.'] }
  const report = JSON.parse(readFileSync(reportFile, 'utf8'))
  const spec = readFileSync('docs/spec.md', 'utf8')
  const files = ['test/acceptance', 'test/laws'].flatMap(testsIn)
  const result = judgeRun({ report, root: resolve('.'), spec, files, isFast, filters })
  // An error outside of any test, such as an unhandled rejection.
  return run.status !== 0 && result.failed === 0 ? { ...result, failed: 1 } : result
}

function testsIn(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
  return names.map((name) => ({ path: `${folder}/${name}`, text: readFileSync(`${folder}/${name}`, 'utf8') }))
}

function conclude({ passed, failed, problems }) {
  for (const problem of problems) console.log(problem)
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
