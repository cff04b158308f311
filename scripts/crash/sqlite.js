import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeObserver } from './observer.js'
import { keepRunning } from './processes.js'
import { makeSending } from './sending.js'
import { makeSystem } from './system.js'

/** One file, and one process at a time that sends and delivers. */
export async function onSqlite(given, receiver, witness) {
  const folder = mkdtempSync(join(given.disk?.path ?? tmpdir(), 'posthorn-crash-'))
  const file = join(folder, 'webhooks.db')
  const { sqlite } = await import(`${given.dist}/stores/sqlite/index.js`)
  const observer = await makeObserver(given.dist, sqlite(file, { plaintextSecrets: true }), receiver)
  const unexpectedEnds = []
  const sending = makeSending({
    dist: given.dist,
    databaseUrl: `sqlite:${file}`,
    given,
    witness,
    delivers: true,
    preloads: ['shift-clock'],
  })
  const engine = keepRunning('the engine', sending.start, (text) => unexpectedEnds.push(text))

  return makeSystem({
    sending,
    sender: engine,
    workers: [engine],
    observer,
    unexpectedEnds,
    file,
    integrity: () => integrityOf(file),
    async close() {
      await engine.stop()
      await observer.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  })
}

async function integrityOf(file) {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database
      .prepare('pragma integrity_check')
      .all()
      .map((row) => row.integrity_check)
      .join(', ')
  } finally {
    database.close()
  }
}
