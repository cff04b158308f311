// A snippet of JavaScript or TypeScript as a program: complete ones unchanged, others with the names that the page has introduced before.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { given } from './given.js'
import { run } from '../processes.js'

export const secretsKey = Buffer.alloc(32, 7).toString('base64')
export const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

export async function runModule(fence, setup) {
  const name = join(setup.folder, `snippet-${fence.line}.${fence.language === 'ts' ? 'ts' : 'mjs'}`)
  const done = `${name}.done`
  writeFileSync(name, programOf(setup.fill(fence.code)))
  rmSync(done, { force: true })
  const env = {
    ...setup.env,
    ...(await databases(fence.code, setup)),
    POSTHORN_SECRETS_KEY: secretsKey,
    WEBHOOK_SECRET: secret,
    DOCS_CHECK_DONE: done,
  }
  setup.last = await run(`node ${name}`, { cwd: setup.folder, env })
  if (!existsSync(done))
    throw new Error(`Expected the snippet to come to its end, and it ended before.\n${setup.last.all}`)
  setup.note(setup.last.all)
}

/** The snippet between what it needs and what must come of it. */
function programOf(script) {
  const { imports, rest } = splitImports(script)
  const tools = new URL('given.js', import.meta.url).href
  const isTest = /testPosthorn|scriptedTransport/.test(script)
  const sends = /posthorn\.send\(/.test(script)
  return [
    `import { given as __given, finish as __finish } from '${tools}'`,
    ...imports,
    ...namesGiven(script).map((name) => `const ${name} = await __given.${name}()`),
    rest,
    `await __finish(typeof posthorn === 'undefined' ? undefined : posthorn, { isTest: ${isTest}, sends: ${sends} })`,
  ].join('\n')
}

export function splitImports(script) {
  const form = /^import [^;]*? from '[^']+'.*$/gm
  return { imports: script.match(form) ?? [], rest: script.replaceAll(form, '') }
}

/** The introduced names that it uses. */
export function namesGiven(script) {
  return Object.keys(given).filter((name) => uses(script, name) && !declares(script, name))
}

function uses(script, name) {
  // Strings first: a URL in one of them is not a comment.
  const code = script.replaceAll(/'[^'\n]*'/g, "''").replaceAll(/\/\/.*$/gm, '')
  return new RegExp(`(?<![\\w.'"-])${name}\\b(?!:)`).test(code)
}

function declares(script, name) {
  return new RegExp(
    `\\b(?:const|let|function|class) ${name}\\b|\\bimport[^\\n]*\\b${name}\\b[^\\n]*from|\\bconst \\{[^}]*\\b${name}\\b[^}]*\\} =|[(,] ?${name}\\b[^()]*\\) =>|\\b${name} =>`,
  ).test(script)
}

/** Databases of the reader's own, with invoices: in PostgreSQL if the snippet uses it, and in the file app.db. */
async function databases(code, setup) {
  if (/app\.db/.test(code)) {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    for (const end of ['', '-wal', '-shm', '.key', '.lock']) rmSync(join(setup.folder, `app.db${end}`), { force: true })
    const db = new DatabaseSync(join(setup.folder, 'app.db'))
    db.exec(
      'create table invoices (id integer primary key, paid integer not null default 0); insert into invoices (id) values (6), (7)',
    )
    db.close()
  }
  if (!/DATABASE_URL|\bpool\b/.test(code)) return {}
  setup.databaseUrl = await setup.world.freshDatabase()
  return { DATABASE_URL: setup.databaseUrl }
}
