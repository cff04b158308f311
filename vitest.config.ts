import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url))
const setup = (path: string): string => fileURLToPath(new URL(`./test/${path}`, import.meta.url))

const fast = process.env['POSTHORN_TEST_FAST'] === '1'
const all = ['test/**/*.test.ts']
// These inspect their whole process, or load modules of the dashboard, which keep state: each file runs in a separate process.
const apart = ['test/transport/leak.test.ts', 'test/acceptance/lease-heartbeat.test.ts', ...loadingDashboard('test/ui')]
// The only platform that its package has a binary for.
const hasPostgres14 = process.platform === 'linux' && process.arch === 'x64'

// What a fast run leaves out, in addition to tests that check `isFast` (test/postgres.ts). CONTRIBUTING.md lists it, too.
const slow = [
  'test/**/postgres*.test.ts', // starts a database
  'test/ui/**', // starts a browser
  'test/security/**', // tries every attack twice, with its defence on and off
  'test/acceptance/build.test.ts', // runs linter, type check and build, which are separate commands
  'test/cli/serve.test.ts', // starts servers as programs; `test/server` calls the API in the test's own process
  'test/cli/worker.test.ts', // the same
  'test/cli/cli.test.ts', // the same with the whole program, and its signals
  'test/cli/operator.test.ts', // every command of an operator, also against a server; `test/engine` tests the same in the library
  'test/cli/log-process.test.ts', // starts programs for their output
  'test/cli/tools.test.ts', // the same
  'test/cli/once.test.ts', // waits for real retries, for a quarter of a minute
  'test/cli/operations.test.ts', // starts a program for every command of a page
  'test/crash/sqlite.test.ts', // kills processes under load, for ten seconds
  'test/engine/crash.test.ts', // the same with fewer
  'test/package/package.test.ts', // packs the package, and resolves the types of every subpath
  'test/server/tour.test.ts', // drives a whole server with an independent client; `test/server` tests the same in the API
  'test/simulation/databases.test.ts', // the kept scenarios again, on real databases
  'test/thread/**', // starts threads and programs, and runs the contract of sqlite.test.ts again, through a thread
  'test/stores/sqlite-driver.test.ts', // the contract of sqlite.test.ts again, through another driver
]
// Whoever names a file wants it, fast or not: each planted defect (test/mutants) names the one that must notice it.
const isNamed = process.argv.some((argument) => argument.endsWith('.test.ts'))
const leftOut = fast && !isNamed ? slow : hasPostgres14 ? [] : ['test/stores/postgres-14.test.ts']

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its public names, and get the sources.
    alias: [
      { find: /^posthorn$/, replacement: source('index.ts') },
      { find: /^posthorn\/metrics$/, replacement: source('metrics/index.ts') },
      { find: /^posthorn\/postgres$/, replacement: source('stores/postgres/index.ts') },
      { find: /^posthorn\/server$/, replacement: source('server/index.ts') },
      { find: /^posthorn\/sqlite$/, replacement: source('stores/sqlite/index.ts') },
      { find: /^posthorn\/testing$/, replacement: source('testing/index.ts') },
      { find: /^posthorn\/testing\/store-suite$/, replacement: source('testing/store-suite/index.ts') },
      { find: /^posthorn\/verify$/, replacement: source('verify.ts') },
    ],
  },
  test: {
    // Reuses modules compiled for an earlier run, as long as neither the file nor the configuration has changed.
    experimental: { fsModuleCache: true },
    globalSetup: [
      setup('security/defences-setup.ts'),
      ...(fast ? [] : [setup('postgres-setup.ts'), setup('browser-setup.ts')]),
    ],
    setupFiles: [setup('assertions-setup.ts')],
    // A test that asserts nothing fails: an emptied one would pass for ever. And `expect.poll` waits almost as long as the test may take,
    // not just a second, in which a busy machine does nothing.
    expect: { requireAssertions: true, poll: { timeout: 15_000 } },
    testTimeout: 20_000,
    pool: 'forks',
    // One more than a small machine has cores: tests of processes mostly wait for leases and starts.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'apart', include: apart, exclude: leftOut } },
      // Files share processes: loading the sources again for each file took longer than most tests do.
      { extends: true, test: { name: 'together', include: all, exclude: [...apart, ...leftOut], isolate: false } },
    ],
  },
})

function loadingDashboard(folder: string): string[] {
  const tests = readdirSync(setup(`../${folder}`)).filter((name) => name.endsWith('.test.ts'))
  return tests
    .map((name) => `${folder}/${name}`)
    .filter((path) => readFileSync(setup(`../${path}`), 'utf8').includes('/src/ui/'))
}
