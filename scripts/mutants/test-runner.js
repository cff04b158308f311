import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Runs the tests that mutants name. They share one PostgreSQL, which starts with the first that needs it. */
export function testRunner(root) {
  let server = null

  async function run(folder, tests, limitMs) {
    const [first] = tests
    const environment =
      first.postgres === true
        ? { POSTHORN_TEST_FAST: '', POSTHORN_TEST_POSTGRES_URL: await databaseUrl() }
        : { POSTHORN_TEST_FAST: '1' }
    return first.command === undefined
      ? runNamed(folder, tests, environment, limitMs)
      : [await runCommand(folder, first, environment, limitMs)]
  }

  function databaseUrl() {
    server ??= startPostgres(root)
    return server.url
  }

  return {
    run,
    async close() {
      await server?.stop()
    },
  }
}

/** Tests of one file by the beginning of their titles: each `passed`, `failed` on an assertion, or `broken` for any other reason. */
async function runNamed(folder, tests, environment, limitMs) {
  const report = join(folder, '.test', 'mutant.json')
  mkdirSync(join(folder, '.test'), { recursive: true })
  rmSync(report, { force: true })
  const titles = tests.map(titleOf)
  const pattern = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|')
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    tests[0].file,
    '-t',
    pattern,
    '--reporter=json',
    `--outputFile=${report}`,
  ]
  const { output, isOver } = await runNode(folder, args, environment, limitMs)
  const broken = (why) => tests.map(() => ({ kind: 'broken', why }))
  if (!isOver) return broken(`it did not end within ${limitMs / 1_000} s`)
  if (!existsSync(report)) return broken(`it left no report: ${output.trim().split('\n').at(-1)}`)
  const found = JSON.parse(readFileSync(report, 'utf8'))
  return titles.map((title) => verdict(found, title))
}

/** The title of a test, or of one row of a table of tests. */
function titleOf({ title, row }) {
  return row === undefined ? title : title.replace('%s', () => row)
}

/** The results of the tests whose title begins with this. A defect must fail an assertion: a syntax error would fail any test. */
export function verdict({ testResults }, title) {
  const unloaded = testResults.find(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  if (unloaded !== undefined) return { kind: 'broken', why: `its file does not load: ${unloaded.message}` }
  const tests = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((test) => test.title.startsWith(title) && ['passed', 'failed'].includes(test.status))
  if (tests.length === 0) return { kind: 'broken', why: 'it is not there' }
  const failures = tests.flatMap(({ status, failureMessages }) =>
    status === 'failed' ? [failureMessages[0] ?? ''] : [],
  )
  if (failures.length === 0) return { kind: 'passed', why: '' }
  const assertion = failures.find((message) => /^AssertionError|^Error: expected /.test(message))
  return assertion === undefined
    ? { kind: 'broken', why: `it fails for no assertion: ${failures[0]}` }
    : { kind: 'failed', why: assertion }
}

/** A command that must succeed without a defect, and must fail and say what is wrong with one. */
async function runCommand(folder, { command: [program, ...args], says }, environment, limitMs) {
  if (program !== 'node') throw new Error(`Expected the command of a mutant to begin with node, got "${program}".`)
  const { code, output, isOver } = await runNode(folder, args, environment, limitMs)
  if (!isOver) return { kind: 'broken', why: `it did not end within ${limitMs / 1_000} s` }
  if (code === 0) return { kind: 'passed', why: '' }
  return output.includes(says)
    ? { kind: 'failed', why: says }
    : { kind: 'broken', why: `it did not say "${says}": ${output.trim().split('\n').at(-1)}` }
}

/** In a separate process group, which ends with it: a test may have started programs. */
export function runNode(folder, args, environment, limitMs) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => {
    let isOver = true
    const limit = setTimeout(() => {
      isOver = false
      endGroup(child.pid)
    }, limitMs)
    child.on('close', (code) => {
      clearTimeout(limit)
      endGroup(child.pid)
      resolve({ code, output, isOver })
    })
  })
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}

function startPostgres(root) {
  const server = spawn(process.execPath, [join(root, 'scripts/postgres.js')], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const url = new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).once('line', resolve)
    server.once('exit', () =>
      reject(new Error('Expected a PostgreSQL for the tests, and it did not start: see above.')),
    )
  })
  return {
    url,
    stop() {
      server.stdin.end()
      return ended
    },
  }
}
