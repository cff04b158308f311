import { createHook } from 'node:async_hooks'
import { statSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sql } from '../../src/stores/shared/sql/sql.ts'
import { openConnection } from '../../src/stores/sqlite/connection.ts'
import type { Connection } from '../../src/stores/sqlite/connection.ts'
import { sqliteDatabase } from '../../src/stores/sqlite/database.ts'
import type { SqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { LogSync } from '../../src/stores/sqlite/files/log-sync.ts'
import { anApplication, anEnvelope, enqueued, freshPath, openStore } from './sqlite-folder.ts'

const insert = (value: number | string) => (connection: Connection) =>
  connection.run(sql`insert into things (value) values (${value})`)

describe('what is committed is answered once it is on the disk', () => {
  test('a call', async () => {
    const { database, disk, seen } = await withThings()
    const writing = database.write(insert(1)).then(() => seen.push('answered'))
    await disk.asked()
    expect(things(disk.path)).toEqual([1])
    expect(seen).toEqual([])
    disk.done()
    await writing
    expect(seen).toEqual(['answered'])
  })

  test('a transaction, which keeps nobody else waiting meanwhile', async () => {
    const { database, disk, seen } = await withThings()
    const running = database.transaction((tx) => tx.run(sql`insert into things (value) values (1)`))
    void running.then(() => seen.push('answered'))
    await disk.asked()
    expect(await database.query(sql`select count(*) as count from things`)).toEqual([{ count: 1 }])
    expect(seen).toEqual([])
    disk.done()
    await running
  })

  test('reading waits for nothing', async () => {
    const { database, disk } = await withThings()
    expect(await database.query(sql`select value from things`)).toEqual([])
    expect(disk.syncs).toBe(0)
  })

  test('commits made while one sync runs share the next', async () => {
    const { database, disk, seen } = await withThings()
    const first = database.write(insert(1)).then(() => seen.push('first'))
    await disk.asked()
    const second = database.write(insert(2)).then(() => seen.push('second'))
    await turn()
    const third = database.write(insert(3)).then(() => seen.push('third'))
    await turn()
    expect(disk.syncs).toBe(1)
    disk.done()
    await first
    expect(seen).toEqual(['first'])
    disk.done()
    await Promise.all([second, third])
    expect(disk.syncs).toBe(2)
  })

  test('close waits for it, too', async () => {
    const { database, disk, seen } = await withThings()
    const writing = database.write(insert(1)).then(() => seen.push('answered'))
    await disk.asked()
    const closing = database.close().then(() => seen.push('closed'))
    await turn()
    disk.done()
    await disk.asked()
    disk.done()
    await Promise.all([writing, closing])
    expect(seen).toEqual(['answered', 'closed'])
  })

  test.each([
    ['in a store by default', 'full', true],
    ['not in a store that is to be fast and unsafe', 'off', false],
  ] as const)('%s', async (_, synchronous, waits) => {
    const store = await openStore(await freshPath(), { synchronous, plaintextSecrets: true })
    const applicationId = await anApplication(store)
    let fileRequests = 0
    const hook = createHook({ init: (_id, type) => void (fileRequests += type === 'FSREQCALLBACK' ? 1 : 0) }).enable()
    onTestFinished(() => void hook.disable())
    expect(await store.queue.enqueue(enqueued(anEnvelope(applicationId)))).toEqual([{ kind: 'stored' }])
    expect(fileRequests > 0).toBe(waits)
  })
})

describe('a sync that fails', () => {
  test('leaves the outcome unknown to those who waited for it, and to nobody else', async () => {
    const { database, disk } = await withThings()
    const first = database.write(insert(1))
    await disk.asked()
    const second = database.transaction((tx) => tx.run(sql`insert into things (value) values (2)`))
    await turn()
    disk.done(new Error('EIO'))
    await expect(first).rejects.toMatchObject({ code: 'outcome_unknown', message: expect.stringContaining('EIO') })
    await disk.asked()
    disk.done()
    expect(await second).toBe(1)
  })

  test('has all of the log folded into the file before anything is added', async () => {
    const { database, disk } = await withThings()
    const large = database.write(insert('x'.repeat(100_000)))
    await disk.asked()
    disk.done(new Error('EIO'))
    await expect(large).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(logBytes(disk.path)).toBeGreaterThan(100_000)

    const small = database.write(insert(2))
    await disk.asked()
    expect(logBytes(disk.path)).toBeLessThan(50_000)
    disk.done()
    expect(await small).toBe(1)
    expect(things(disk.path)).toHaveLength(2)
  })

  test('and while a reader keeps it from being folded, nothing is added', async () => {
    const { database, disk } = await withThings()
    const failing = database.write(insert(1))
    await disk.asked()
    const reader = new DatabaseSync(disk.path)
    reader.exec('begin')
    reader.prepare('select * from things').all()
    disk.done(new Error('EIO'))
    await expect(failing).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(database.write(insert(2))).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect(database.transaction((tx) => tx.run(sql`delete from things`))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    reader.exec('rollback')
    reader.close()
    expect(things(disk.path)).toEqual([1])

    const next = database.write(insert(3))
    await disk.asked()
    disk.done()
    await next
    expect(things(disk.path)).toEqual([1, 3])
  })
})

/** A disk that says when it is asked to sync, and is done when the test says so. */
class SlowDisk {
  readonly path: string
  readonly log: LogSync
  syncs = 0
  #done: ((error: Error | null) => void)[] = []
  #asked: () => void = () => undefined

  constructor(path: string) {
    this.path = path
    this.log = new LogSync(path, (_descriptor, done) => {
      this.syncs += 1
      this.#done.push(done)
      this.#asked()
    })
  }

  /** Resolves when a sync waits to be done. */
  async asked(): Promise<void> {
    if (this.#done.length === 0) await new Promise<void>((resolve) => (this.#asked = resolve))
  }

  done(error: Error | null = null): void {
    this.#done.shift()?.(error)
  }
}

interface Things {
  readonly database: SqliteDatabase
  readonly disk: SlowDisk
  /** What a test has seen happen. */
  readonly seen: string[]
}

async function withThings(): Promise<Things> {
  const path = await freshPath()
  const connection = openConnection(path, { synchronous: 'normal', busyTimeoutMs: 1 })
  connection.run(sql`create table things (value)`)
  const disk = new SlowDisk(connection.file())
  return { database: sqliteDatabase(connection, { log: disk.log }), disk, seen: [] }
}

/** As another process sees them. */
function things(path: string): unknown[] {
  const other = new DatabaseSync(path)
  const rows = other.prepare('select value from things').all() as { value: unknown }[]
  other.close()
  return rows.map(({ value }) => value)
}

function logBytes(path: string): number {
  return statSync(`${path}-wal`).size
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
