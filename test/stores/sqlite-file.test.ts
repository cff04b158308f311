import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { build } from 'vite'
import type { Store } from '../../src/core/ports/ports.ts'
import type { Worker } from '../../src/core/ports/worker.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { anApplication, anEnvelope, enqueued, freshPath, noon, openStore } from './sqlite-folder.ts'

const worker = (id: string): Worker => ({ id, pid: process.pid, host: hostname(), startedAt: noon })

describe('a file', () => {
  test('keeps everything over a close, also for the same store object', async () => {
    const path = await freshPath()
    const store = await openStore(path)
    const applicationId = await anApplication(store)
    const envelope = anEnvelope(applicationId)
    await store.queue.enqueue(enqueued(envelope))
    await store.close()
    await expect(store.directory.application(applicationId)).rejects.toMatchObject({ code: 'stopped' })

    await store.open()
    expect(await store.directory.message(envelope.message.id)).toEqual(envelope.message)
    await store.close()
    const other = await openStore(path)
    expect(await other.directory.application(applicationId)).toMatchObject({ name: 'Acme' })
    expect(await other.directory.delivery(envelope.deliveries[0]?.id ?? '')).toMatchObject({
      status: 'pending',
      messageId: envelope.message.id,
    })
  })

  test('is refused before it is opened, and opened once however often it is asked', async () => {
    const store = sqlite(await freshPath())
    await expect(store.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 1 })).rejects.toMatchObject({
      code: 'stopped',
    })
    const notes = await Promise.all([store.open(), store.open()])
    expect(notes.flat()).toHaveLength(1)
    await store.close()
    await store.close()
  })

  test('notes the workers that an earlier process left behind, but not those that stopped', async () => {
    const path = await freshPath()
    const first = await openStore(path)
    await first.attach(worker('stopped'))
    await first.detach('stopped')
    await first.attach(worker('killed'))
    // As the end of a process does: the lock is free, and the row stays.
    await first.close()
    const next = await openStore(path)
    expect(await next.directory.alarms()).toEqual([])
    await next.attach(worker('next'))
    expect(await next.directory.alarms()).toMatchObject([{ id: 'worker-lost', noted: 1, notedAt: noon }])
  })

  test('says how full its disk is; in memory there is none', async () => {
    const { freeBytes, sizeBytes } = (await (await openStore(await freshPath())).disk?.()) ?? {}
    expect(sizeBytes).toBeGreaterThan(0)
    expect(freeBytes).toBeLessThanOrEqual(sizeBytes ?? 0)
    expect(await (await openStore(':memory:')).disk?.()).toBeNull()
  })

  test('of a later release is refused and left as it is', async () => {
    const path = await freshPath()
    await (await openStore(path)).close()
    plainSql(path, 'insert into posthorn_migrations (version) values (999)')
    await expect(sqlite(path).open()).rejects.toMatchObject({
      code: 'newer_database',
      message: expect.stringContaining('999'),
    })
    expect(plainSql(path, 'select max(version) as version from posthorn_migrations')).toEqual([{ version: 999 }])
  })

  test('that is none of SQLite is refused', async () => {
    const path = await freshPath()
    await writeFile(path, 'Dear diary, today I was mistaken for a database. '.repeat(20))
    await expect(sqlite(path).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('right path'),
    })
    await expect(sqlite(join(path, 'below')).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('directory'),
    })
  })

  test.each(['', 'file:posthorn.db'])('%j is no path', (path) => {
    expect(() => sqlite(path)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})

describe('rows inserted by plain SQL', () => {
  test('need only the columns that mean something, and are claimed; the lanes follow from the row', async () => {
    const path = await freshPath()
    const store = await openStore(path)
    plainSql(path, `insert into posthorn_messages (id, body) values ('msg_1', '{"n":1}')`)
    plainSql(path, `insert into webhook_deliveries (id, webhook_id, message_id) values ('dlv_1', 'ep_1', 'msg_1')`)
    plainSql(
      path,
      `insert into webhook_deliveries (id, webhook_id, message_id, status, last_attempted_at) values ('dlv_2', 'ep_1', 'msg_1', 'pending', 5)`,
    )
    const wants = (['fresh', 'retries'] as const).map((lane) => ({
      endpointId: 'ep_1',
      lane,
      most: 10,
      mostBytes: 1_000,
    }))
    const claims = await store.queue.claim({ owner: 'anna', leaseMs: 1_000, now: noon, most: 10, wants })
    expect(claims.map(({ delivery, lane }) => [delivery.id, lane])).toEqual([
      ['dlv_1', 'fresh'],
      ['dlv_2', 'retries'],
    ])
    expect(claims[0]).toMatchObject({ delivery: { attemptCount: 0, leaseEpoch: 1, crashCount: 0, policy: 'standard' } })
    expect(Buffer.from(claims[0]?.message.body ?? []).toString()).toBe('{"n":1}')
  })

  test('whose message is missing are neither leased nor in the way of others', async () => {
    const path = await freshPath()
    const store = await openStore(path)
    plainSql(path, `insert into webhook_deliveries (id, webhook_id, message_id) values ('dlv_0', 'ep_one', 'msg_gone')`)
    const envelope = anEnvelope(await anApplication(store))
    await store.queue.enqueue(enqueued(envelope))
    const wants = [{ endpointId: 'ep_one', lane: 'fresh' as const, most: 1, mostBytes: 1_000 }]
    const claims = await store.queue.claim({ owner: 'anna', leaseMs: 1_000, now: noon, most: 1, wants })
    expect(claims.map(({ message }) => message.id)).toEqual([envelope.message.id])
    expect(await store.directory.delivery('dlv_0')).toMatchObject({
      leaseOwner: null,
      leaseEpoch: 0,
      status: 'pending',
    })
  })

  test('every open row is in exactly one lane', async () => {
    const path = await freshPath()
    const store = await openStore(path)
    plainSql(
      path,
      `insert into posthorn_endpoints (id, application_id, url) values ('ep_1', 'app_1', 'https://acme.example')`,
    )
    plainSql(path, `insert into posthorn_messages (id, body) values ('msg_1', '{}')`)
    let count = 0
    for (const status of ['pending', 'failed']) {
      for (const attempted of ['null', '5']) {
        for (const requeued of ['null', '5']) {
          for (const interruptions of [0, 1, 2, 9]) {
            count += 1
            plainSql(
              path,
              `insert into webhook_deliveries (id, webhook_id, message_id, status, last_attempted_at, requeued_at, interruptions)
              values ('dlv_${count}', 'ep_1', 'msg_1', '${status}', ${attempted}, ${requeued}, ${interruptions})`,
            )
          }
        }
      }
    }
    const { queue } = await store.directory.overview({ now: noon, windowMs: 60_000 })
    expect(queue).toMatchObject({ fresh: 2, retries: 14 + 16 })
    for (const [lane, wanted] of [
      ['fresh', 2],
      ['retries', 14],
      ['suspects', 16],
    ] as const) {
      const wants = [{ endpointId: 'ep_1', lane, most: 100, mostBytes: 1_000 }]
      expect(await store.queue.claim({ owner: 'anna', leaseMs: 1_000, now: noon, most: 100, wants })).toHaveLength(
        wanted,
      )
    }
  })
})

describe('one engine process per file', () => {
  test('a second process is refused by the name of the first; short writes stay possible; its death frees the file', async () => {
    const path = await freshPath()
    const store = await openStore(path)
    const child = await engineProcess(path)
    await expect(store.attach(worker('here'))).rejects.toMatchObject({
      code: 'store_in_use',
      message: expect.stringContaining(`process ${child.pid} on ${hostname()}`),
    })
    expect(await anApplication(store)).toMatch(/^app_/)
    expect(await store.directory.workers()).toMatchObject([{ id: 'there', pid: child.pid }])

    child.kill('SIGKILL')
    await once(child, 'exit')
    await store.attach(worker('here'))
    expect(await store.directory.workers()).toMatchObject([{ id: 'here' }])
  })

  test('several engines of one store are fine; the last to leave frees the file', async () => {
    const path = await freshPath()
    const [store, other] = [await openStore(path), await openStore(path)]
    await store.attach(worker('a'))
    await store.attach(worker('b'))
    await expect(other.attach(worker('c'))).rejects.toMatchObject({ code: 'store_in_use' })
    await store.detach('a')
    await expect(other.attach(worker('c'))).rejects.toMatchObject({ code: 'store_in_use' })
    await store.detach('b')
    await other.attach(worker('c'))
    expect(await store.directory.workers()).toMatchObject([{ id: 'c' }])
  })

  test('a link to the file is the same file', async () => {
    const path = await freshPath()
    const store = await openStore(path)
    await symlink(path, `${path}.link`)
    const linked = await openStore(`${path}.link`, { secretsKey: randomBytes(32) })
    await store.attach(worker('a'))
    await expect(linked.attach(worker('b'))).rejects.toMatchObject({ code: 'store_in_use' })
  })

  test('a close frees the file, too', async () => {
    const path = await freshPath()
    const [store, other] = [await openStore(path), await openStore(path)]
    await store.attach(worker('a'))
    await store.close()
    await other.attach(worker('b'))
    expect(await other.directory.workers()).toMatchObject([{ id: 'b' }])
  })

  test('to attach changes no delivery', async () => {
    const path = await freshPath()
    const store = await openStore(path)
    const envelope = anEnvelope(await anApplication(store))
    await store.queue.enqueue(
      enqueued({ ...envelope, deliveries: envelope.deliveries.map((delivery) => ({ ...delivery, leased: true })) }),
    )
    const before = plainSql(path, 'select * from webhook_deliveries')
    await store.attach(worker('a'))
    expect(plainSql(path, 'select * from webhook_deliveries')).toEqual(before)
  })

  test('memory needs no lock', async () => {
    const stores: Store[] = [await openStore(':memory:'), await openStore(':memory:')]
    await Promise.all(stores.map((store) => store.attach(worker('a'))))
    expect(await stores[0]?.directory.workers()).toHaveLength(1)
  })
})

/** A process of its own that has attached to a file, from a bundle of the sources. */
async function engineProcess(path: string): Promise<ChildProcess> {
  const folder = dirname(path)
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      outDir: folder,
      emptyOutDir: false,
      ssr: resolve('src/stores/sqlite/index.ts'),
      rollupOptions: { output: { entryFileNames: 'sqlite.mjs' } },
    },
  })
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  await writeFile(
    join(folder, 'engine.mjs'),
    `
    import { hostname } from 'node:os'
    import { sqlite } from './sqlite.mjs'
    const store = sqlite(process.argv[2])
    await store.open()
    await store.attach({ id: 'there', pid: process.pid, host: hostname(), startedAt: 1 })
    process.send('attached')
    setInterval(() => {}, 60_000)
  `,
  )
  const child = spawn(process.execPath, [join(folder, 'engine.mjs'), path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [signal] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  expect(signal).toBe('attached')
  return child
}

function plainSql(path: string, text: string): unknown[] {
  const database = new DatabaseSync(path)
  try {
    return database
      .prepare(text)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}
