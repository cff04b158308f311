import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { Posthorn } from '../../src/posthorn.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { countedStore } from '../acceptance/counted-store.ts'
import { freshSchema, isFast } from '../postgres.ts'
import { freshPath } from '../stores/sqlite-folder.ts'
import { refusal } from './refusal.ts'

interface Place {
  store(): Store
  /** Does what a later release's migration does at its end. */
  migrate(): Promise<void>
}

const places: Record<string, () => Promise<Place>> = { SQLite: inSqlite, ...(isFast ? {} : { PostgreSQL: inPostgres }) }

describe.each(Object.entries(places))('a store in %s that a later release has migrated', (_name, makePlace) => {
  test('makes a running worker finish what is under way, claim nothing more, and say so once', async () => {
    const place = await makePlace()
    const clock = manualClock()
    const transport = scriptedTransport(clock)
    const counted = countedStore(place.store())
    clock.attend(counted.underWay)
    const posthorn = new Posthorn({ store: counted.store, clock, transport })
    onTestFinished(() => posthorn.stop({ graceMs: 0 }))
    const warnings: string[] = []
    posthorn.on('warning', ({ code }) => warnings.push(code))
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hook' })
    transport.answer('https://acme.example/hook', 200, { delayMs: 20_000 })
    await posthorn.start()
    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: 1 })
    await transport.sent(1)

    await place.migrate()
    await clock.advance(5_000)
    expect(warnings).toEqual(['newer_database'])
    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: 2 })
    await clock.advance(60_000)
    await posthorn.idle()
    expect(transport.requests).toHaveLength(1)
    const deliveries = await posthorn.deliveries.list()
    expect(deliveries.map(({ status, leaseOwner }) => [status, leaseOwner])).toEqual([
      ['pending', null],
      ['delivered', null],
    ])
    expect(warnings).toEqual(['newer_database'])
    expect(clock.pending()).toBe(lookouts(place))
  })

  test('is refused by whoever opens it, and by a worker that opened it before and starts now', async () => {
    const place = await makePlace()
    const clock = manualClock()
    const transport = scriptedTransport(clock)
    const posthorn = new Posthorn({ store: place.store(), clock, transport })
    onTestFinished(() => posthorn.stop({ graceMs: 0 }))
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hook' })
    await place.migrate()
    const warnings: string[] = []
    posthorn.on('warning', ({ code }) => warnings.push(code))
    await posthorn.start()
    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: 1 })
    expect([warnings, transport.requests.length, clock.pending()]).toEqual([['newer_database'], 0, lookouts(place)])
    expect(await refusal(() => place.store().open())).toMatchObject({
      code: 'newer_database',
      message: expect.stringContaining('version 999'),
    })
  })
})

/** Where several processes share a store, its stream looks on, for whoever still reads it. */
function lookouts(place: Place): number {
  return (place.store().lookMs ?? null) === null ? 0 : 1
}

async function inSqlite(): Promise<Place> {
  const path = await freshPath()
  return {
    store: () => sqlite(path, { synchronous: 'off', secretsKey: Buffer.alloc(32, 7) }),
    async migrate() {
      const database = new DatabaseSync(path)
      database.exec('insert into posthorn_migrations (version) values (999)')
      database.close()
    },
  }
}

async function inPostgres(): Promise<Place> {
  const { url, schema, query, drop } = freshSchema()
  onTestFinished(drop)
  return {
    store: () => postgres(url, { schema, secretsKey: Buffer.alloc(32, 7) }),
    async migrate() {
      await query('insert into migrations (version) values (999)')
    },
  }
}
