import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeObserver, pause, startSender, unfinishedRows } from './run.js'

/** One file, and one process at a time that sends and delivers. A restart of the database is an orderly restart of that process. */
export async function onSqlite({ dist }, receiver) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-crash-'))
  const file = join(folder, 'webhooks.db')
  const accepted = new Set()
  const { sqlite } = await import(`${dist}/stores/sqlite/index.js`)
  const observer = await makeObserver(dist, sqlite(file, { plaintextSecrets: true }), receiver)
  let engine = await startEngine()
  let closing = null

  async function startEngine() {
    const started = startSender(dist, `sqlite:${file}`, 'worker', accepted)
    await once(started.child, 'message')
    return started
  }

  async function close() {
    await engine.end('SIGTERM')
    await observer.stop()
    rmSync(folder, { recursive: true, force: true })
  }

  return {
    accepted,
    observer,
    async perform({ kind, afterMs }) {
      await pause(afterMs)
      const at = performance.now()
      await engine.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM')
      const endedAt = performance.now()
      engine = await startEngine()
      return { kind: kind === 'kill' ? 'kill' : 'orderly', name: kind === 'kill' ? 'kill -9 of the engine' : 'orderly restart of the engine', at, endedAt }
    },
    async stopSending() {
      const done = once(engine.child, 'message')
      engine.child.send('enough')
      await done
    },
    rows: () => unfinishedRows(observer),
    close: () => (closing ??= close()),
  }
}
