import { EventEmitter, once } from 'node:events'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { PosthornError } from '../../src/core/errors.ts'
import { sql, raw } from '../../src/stores/shared/sql/sql.ts'
import { openConnection } from '../../src/stores/sqlite/connection.ts'
import type { Connection } from '../../src/stores/sqlite/connection.ts'
import { sqliteDatabase } from '../../src/stores/sqlite/database.ts'
import type { SqliteDatabase } from '../../src/stores/sqlite/database.ts'
import { storeError } from '../../src/stores/sqlite/errors.ts'
import { checkVersion } from '../../src/stores/sqlite/load-driver.ts'
import { freshPath } from './sqlite-folder.ts'

const insert = (value: number | string) => (connection: Connection) =>
  connection.run(sql`insert into things (value) values (${value})`)

describe('a connection', () => {
  test('writes ahead, and a commit is on the disk when it returns', async () => {
    const connection = await opened()
    expect(pragma(connection, 'journal_mode')).toBe('wal')
    expect(pragma(connection, 'synchronous')).toBe(2)
    expect(pragma(connection, 'busy_timeout')).toBe(5_000)
    expect(pragma(connection, 'foreign_keys')).toBe(0)
  })

  test('is fast and unsafe only where that was asked for', async () => {
    expect(pragma(await opened({ synchronous: 'off' }), 'synchronous')).toBe(0)
  })

  test.each([
    ['3.51.2', false],
    ['3.45.1', false],
    ['2.99.99', false],
    ['3.51.3', true],
    ['3.53.0', true],
    ['4.0.0', true],
  ])('SQLite %s: new enough is %s', (version, isNewEnough) => {
    if (isNewEnough) expect(() => checkVersion(version)).not.toThrow()
    else expect(() => checkVersion(version)).toThrow(expect.objectContaining({ code: 'store_too_old' }))
  })
})

describe('errors say what to do', () => {
  test('a full disk is store_full; nothing of the turn is kept, and there is life after it', async () => {
    const { database, connection } = await withThings()
    const pages = pragma(connection, 'page_count')
    connection.query(sql`pragma max_page_count = ${raw(String(Number(pages) + 2))}`)
    const small = database.write(insert(1))
    const large = database.write(insert('x'.repeat(100_000)))
    await expect(large).rejects.toMatchObject({ code: 'store_full', cause: expect.anything() })
    await expect(small).rejects.toMatchObject({ code: 'store_full' })
    expect(things(connection)).toEqual([])

    connection.query(sql`pragma max_page_count = 100000`)
    await database.write(insert(2))
    expect(things(connection)).toEqual([2])
  })

  test('a file that another process holds is store_locked, and free again afterwards', async () => {
    const path = await freshPath()
    const { database, connection } = await withThings(path, { busyTimeoutMs: 1 })
    const other = new DatabaseSync(path)
    other.exec('begin exclusive')
    await expect(database.write(insert(1))).rejects.toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining('Another process'),
    })
    await expect(database.transaction((tx) => tx.run(sql`delete from things`))).rejects.toMatchObject({
      code: 'store_locked',
    })
    // Reading takes no lock that could be refused.
    expect(await database.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
    other.exec('rollback')
    other.close()
    await database.write(insert(2))
    expect(things(connection)).toEqual([2])
  })

  test.each([
    [5, 'store_locked'],
    [6, 'store_locked'],
    [517, 'store_locked'],
    [13, 'store_full'],
    [10, 'store_failed'],
    [778, 'store_failed'],
    [14, 'store_failed'],
    [26, 'store_failed'],
    [1, 'store_failed'],
    [2067, 'already_exists'],
    [1555, 'already_exists'],
    [1299, 'data_refused'],
    [18, 'data_refused'],
    [20, 'data_refused'],
  ])('SQLite code %i is %s', (errcode, code) => {
    const thrown = Object.assign(new Error('what SQLite said'), { errcode })
    expect(storeError(thrown)).toMatchObject({
      code,
      cause: thrown,
      message: expect.stringContaining('what SQLite said'),
    })
  })

  test('an error of our own passes as it is', () => {
    const own = new PosthornError('not_found', 'Nothing there.')
    expect(storeError(own)).toBe(own)
  })
})

describe('a turn of the loop', () => {
  test('has one commit for all of its calls', async () => {
    const { database, commits } = await withThings()
    await Promise.all([
      database.write(insert(1)),
      database.write(insert(2)),
      database.query(sql`select 1`),
      database.write(insert(3)),
    ])
    expect(commits()).toBe(1)
    await database.write(insert(4))
    expect(commits()).toBe(2)
  })

  test('a call that throws is undone alone', async () => {
    const { database, connection, commits } = await withThings()
    const first = database.write(insert(1))
    const failing = database.write((own) => {
      insert(2)(own)
      throw new TypeError('on the way')
    })
    const last = database.write(insert(3))
    await expect(failing).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('on the way'),
    })
    await Promise.all([first, last])
    expect(things(connection)).toEqual([1, 3])
    expect(commits()).toBe(1)
  })

  test('a commit that fails rejects every call', async () => {
    const { database, connection } = await withThings()
    connection.run(sql`create table parents (id integer primary key)`)
    connection.run(sql`create table children (parent integer references parents (id) deferrable initially deferred)`)
    connection.query(sql`pragma foreign_keys = on`)
    const orphan = database.write((own) => own.run(sql`insert into children (parent) values (7)`))
    const other = database.write(insert(1))
    await expect(orphan).rejects.toBeInstanceOf(PosthornError)
    await expect(other).rejects.toBeInstanceOf(PosthornError)
    expect(things(connection)).toEqual([])
  })

  test('a call is answered after the commit, not before', async () => {
    const { database, connection } = await withThings()
    await database.write(insert(1))
    expect(connection.inTransaction()).toBe(false)
  })

  test('only reading begins no transaction', async () => {
    const { database, commits } = await withThings()
    expect(await Promise.all([database.query(sql`select 1 as a`), database.query(sql`select 2 as a`)])).toEqual([
      [{ a: 1 }],
      [{ a: 2 }],
    ])
    expect(commits()).toBe(0)
  })
})

describe('a transaction', () => {
  test('is not interleaved with anything that is called while it waits', async () => {
    const { database, connection } = await withThings()
    const gate = new EventEmitter()
    const seen: string[] = []
    const before = database.write(insert('before')).then(() => seen.push('before'))
    const slow = database
      .transaction(async (tx) => {
        await tx.run(sql`insert into things (value) values (${'slow 1'})`)
        await once(gate, 'open')
        await tx.run(sql`insert into things (value) values (${'slow 2'})`)
      })
      .then(() => seen.push('slow'))
    const turn = database.write(insert('turn')).then(() => seen.push('turn'))
    const read = database
      .query(sql`select count(*) as count from things`)
      .then((rows) => seen.push(`read ${String(rows[0]?.['count'])}`))
    const next = database
      .transaction((tx) => tx.run(sql`insert into things (value) values (${'next'})`))
      .then(() => seen.push('next'))
    await turns(5)
    expect(seen).toEqual(['before'])

    gate.emit('open')
    await Promise.all([before, slow, turn, read, next])
    expect(things(connection)).toEqual(['before', 'slow 1', 'slow 2', 'turn', 'next'])
    expect(seen).toContain('read 4')
  })

  test('that throws leaves nothing behind, and lets the next one begin', async () => {
    const { database, connection } = await withThings()
    const failing = database.transaction(async (tx) => {
      await tx.run(sql`insert into things (value) values (1)`)
      throw new PosthornError('not_found', 'Changed its mind.')
    })
    const next = database.transaction((tx) => tx.run(sql`insert into things (value) values (2)`))
    await expect(failing).rejects.toMatchObject({ code: 'not_found' })
    expect(await next).toBe(1)
    expect(things(connection)).toEqual([2])
  })

  test('close waits for what was begun, and refuses what comes later', async () => {
    const { database, path } = await withThings()
    const begun = database.transaction((tx) => tx.run(sql`insert into things (value) values (1)`))
    const turn = database.write(insert(2))
    const closing = database.close()
    expect(await Promise.all([begun, turn])).toEqual([1, 1])
    await closing
    await expect(database.write(insert(3))).rejects.toMatchObject({ code: 'stopped' })
    await expect(database.transaction((tx) => tx.query(sql`select 1`))).rejects.toMatchObject({ code: 'stopped' })
    expect(things(await opened({}, path))).toEqual([1, 2])
  })
})

interface Things {
  readonly path: string
  readonly connection: Connection
  readonly database: SqliteDatabase
  /** Commits since the beginning. */
  commits(): number
}

async function withThings(givenPath?: string, options: Parameters<typeof openConnection>[1] = {}): Promise<Things> {
  const path = givenPath ?? (await freshPath())
  const connection = await opened({ synchronous: 'off', ...options }, path)
  connection.run(sql`create table things (value)`)
  let count = 0
  const counting: Connection = {
    ...connection,
    prepare(text) {
      if (text === 'commit') count += 1
      return connection.prepare(text)
    },
  }
  return { path, connection, database: sqliteDatabase(counting), commits: () => count }
}

async function opened(options: Parameters<typeof openConnection>[1] = {}, path?: string): Promise<Connection> {
  const connection = openConnection(path ?? (await freshPath()), options)
  onTestFinished(() => {
    try {
      connection.close()
    } catch {
      // The test has closed it already.
    }
  })
  return connection
}

function pragma(connection: Connection, name: string): unknown {
  return Object.values(connection.query(sql`pragma ${raw(name)}`)[0] ?? {})[0]
}

function things(connection: Connection): unknown[] {
  return connection.query(sql`select value from things order by rowid`).map((row) => row['value'])
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
