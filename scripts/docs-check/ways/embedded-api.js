// The HTTP API inside a program that a page shows: it lets Ada in, of the customer acme, and nobody else.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Posthorn } from '../../../dist/index.js'
import { postgres } from '../../../dist/stores/postgres/index.js'
import { sqlite } from '../../../dist/stores/sqlite/index.js'
import { secretsKey } from './module.js'
import { fileAndCommand, listens, start, stop } from '../processes.js'

const wanted = { ada: 201, stranger: 401, elsewhere: 403 }

export async function runApi({ code, way }, setup) {
  const { file, command } = fileAndCommand(way)
  writeFileSync(join(setup.folder, file), setup.fill(code))
  const databaseUrl = await makeCustomer(code, setup)
  const env = { ...setup.env, DATABASE_URL: databaseUrl, POSTHORN_SECRETS_KEY: secretsKey }
  const port = Number(setup.fill('3000'))
  const program = start(setup.fill(command), { cwd: setup.folder, env })
  try {
    await listens(program, port)
    const answers = await askAll(`http://127.0.0.1:${port}/webhooks/api/v1`)
    if (JSON.stringify(answers) !== JSON.stringify(wanted))
      throw new Error(`Expected ${JSON.stringify(wanted)}, got ${JSON.stringify(answers)}.\n${program.all}`)
  } finally {
    await stop(program)
  }
}

/** The customer acme, in the database that the program opens. */
async function makeCustomer(code, setup) {
  const usesPostgres = code.includes('DATABASE_URL')
  const databaseUrl = usesPostgres ? await setup.world.freshDatabase() : ''
  const file = join(setup.folder, 'webhooks.db')
  for (const end of ['', '-wal', '-shm', '.key', '.lock']) rmSync(file + end, { force: true })
  const posthorn = new Posthorn({ store: usesPostgres ? postgres(databaseUrl, { secretsKey }) : sqlite(file) })
  await posthorn.applications.create({ uid: 'acme', name: 'Acme' })
  await posthorn.stop()
  return databaseUrl
}

async function askAll(api) {
  const headers = { cookie: 'session=ada', 'content-type': 'application/json' }
  const body = JSON.stringify({ url: 'https://acme.example/hooks' })
  return {
    ada: (await fetch(`${api}/app/acme/endpoint`, { method: 'POST', headers, body })).status,
    stranger: (await fetch(`${api}/app/acme`)).status,
    elsewhere: (await fetch(`${api}/app/other`, { headers })).status,
  }
}
