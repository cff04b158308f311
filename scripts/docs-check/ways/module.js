// A snippet of JavaScript or TypeScript as a program: whole ones as they are, others with what the page has told of before.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { given } from './given.js'
import { run } from '../processes.js'

export const secretsKey = Buffer.alloc(32, 7).toString('base64')
export const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

export async function runModule(fence, stage) {
  const name = join(stage.folder, `snippet-${fence.line}.${fence.language === 'ts' ? 'ts' : 'mjs'}`)
  const done = `${name}.done`
  writeFileSync(name, programOf(stage.fill(fence.code)))
  rmSync(done, { force: true })
  const env = {
    ...stage.env,
    ...(await databases(fence.code, stage)),
    POSTHORN_SECRETS_KEY: secretsKey,
    WEBHOOK_SECRET: secret,
    DOCS_CHECK_DONE: done,
  }
  stage.last = await run(`node ${name}`, { cwd: stage.folder, env })
  if (!existsSync(done))
    throw new Error(`Expected the snippet to come to its end, and it ended before.\n${stage.last.all}`)
  stage.note(stage.last.all)
}

/** The snippet between what it needs and what must come of it. */
export function programOf(script) {
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

/** What it uses, and the page has told of before. */
export function namesGiven(script) {
  return Object.keys(given).filter((name) => uses(script, name) && !declares(script, name))
}

function uses(script, name) {
  // Strings first: a URL in one of them is no comment.
  const code = script.replaceAll(/'[^'\n]*'/g, "''").replaceAll(/\/\/.*$/gm, '')
  return new RegExp(`(?<![\\w.'"-])${name}\\b(?!:)`).test(code)
}

function declares(script, name) {
  return new RegExp(
    `\\b(?:const|let|function|class) ${name}\\b|\\bimport[^\\n]*\\b${name}\\b[^\\n]*from|\\bconst \\{[^}]*\\b${name}\\b[^}]*\\} =|[(,] ?${name}\\b[^()]*\\) =>|\\b${name} =>`,
  ).test(script)
}

/** Databases of the reader's own, with invoices: in PostgreSQL if the snippet asks for it, and in the file app.db. */
async function databases(code, stage) {
  if (/app\.db/.test(code)) {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    for (const end of ['', '-wal', '-shm', '.key', '.lock']) rmSync(join(stage.folder, `app.db${end}`), { force: true })
    const db = new DatabaseSync(join(stage.folder, 'app.db'))
    db.exec(
      'create table invoices (id integer primary key, paid integer not null default 0); insert into invoices (id) values (6), (7)',
    )
    db.close()
  }
  if (!/DATABASE_URL|\bpool\b/.test(code)) return {}
  stage.databaseUrl = await stage.world.freshDatabase()
  return { DATABASE_URL: stage.databaseUrl }
}
