// Type-checks every TypeScript snippet, all in one run: a misspelt name that nothing reads would run without an error.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../world.js'
import { namesGiven, splitImports } from './module.js'

/** The types of names that a snippet may use without defining them; others are of any type. */
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

/** The compiler's messages, by page and line. Inside the libraries' folder, so that their types are found. */
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

/** Lenient about types that a page leaves out, and strict about names. */
function compilerOptions() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  // Files without types, such as the package file itself, are not imported here.
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
    // The libraries have their own pg, whose pool has another type than ours.
    paths: { ...Object.fromEntries(paths), pg: [join(root, 'node_modules/@types/pg')] },
  }
}
