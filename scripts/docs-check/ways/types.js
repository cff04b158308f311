// Every snippet of TypeScript as the compiler sees it, all in one run: what a name that nobody reads is called, no program finds out.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../world.js'
import { namesGiven, splitImports } from './module.js'

/** Of the names that a snippet may use without saying where they come from; others are of any type. */
const types = {
  Posthorn: "typeof import('posthorn').Posthorn",
  handler: "typeof import('posthorn/server').handler",
  toNodeListener: "typeof import('posthorn/server').toNodeListener",
  sqlite: "typeof import('posthorn/sqlite').sqlite",
  postgres: "typeof import('posthorn/postgres').postgres",
  posthorn: "import('posthorn').Posthorn",
  endpoint: "import('posthorn').Endpoint",
  store: "import('posthorn').Store",
  pool: "import('pg').Pool",
  id: 'string',
  clientSecret: 'string',
  csv: 'string',
  tomorrow: 'number',
  rawBody: 'string',
}

/** What the compiler says, by page and line. Inside of the libraries' folder, so that their types are found. */
export function typeProblems(pages) {
  const folder = join(root, 'scripts/docs-check/libraries/.types')
  const snippets = pages.flatMap(({ path, fences }) =>
    fences
      .filter(({ language, code }) => language === 'ts' && !/from '\.\//.test(code))
      .map((fence) => ({ path, fence })),
  )
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  snippets.forEach(({ fence }, index) => writeFileSync(join(folder, `${index}.ts`), typedProgram(fence.code)))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: compilerOptions(), include: ['*.ts'] }),
  )
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--noEmit', '--pretty', 'false'], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true, force: true })
  return [...stdout.matchAll(/(\d+)\.ts\(\d+,\d+\): error (.+)/g)].map(([, index, text]) => {
    const { path, fence } = snippets[Number(index)]
    return `${path}:${fence.line}: ${text}`
  })
}

function typedProgram(code) {
  const { imports, rest } = splitImports(code)
  const given = namesGiven(code).map((name) => `declare const ${name}: ${types[name] ?? 'any'}`)
  return [...imports, ...given, rest, 'export {}'].join('\n')
}

/** As lenient as a page may be that leaves out types, and as strict as its names are. */
function compilerOptions() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // What has no types of its own, such as the package file itself, is nothing to import here.
  const typed = Object.entries(exports).filter(([, { types: file }]) => file !== undefined)
  const paths = typed.map(([name, { types: file }]) => [join('posthorn', name), [join(root, file)]])
  return {
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    skipLibCheck: true,
    esModuleInterop: true,
    strict: false,
    // The libraries bring a pg of their own, whose pool is not ours to the compiler.
    paths: { ...Object.fromEntries(paths), pg: [join(root, 'node_modules/@types/pg')] },
  }
}
