import assert from 'node:assert/strict'
import { storeCase } from '../case.ts'
import { has, only, start, times } from '../world.ts'

export const applicationCases = [
  storeCase('the application of the operational webhooks is found, but listed with no customer', async (world) => {
    const customer = await world.application()
    const reserved = await world.application({ uid: 'posthorn-operations' })
    has(await world.directory.application('posthorn-operations'), { id: reserved.id })
    const listed = await world.directory.listApplications({ limit: 10, after: null })
    assert.deepEqual(
      listed.map(({ id }) => id),
      [customer.id],
    )
  }),

  storeCase('a store can be opened again', async (world) => {
    const application = await world.application()
    await world.store.open()
    assert.deepEqual(await world.directory.application(application.id), application)
  }),

  storeCase('workers are known from attach to detach', async (world) => {
    const worker = { id: 'worker-1', pid: 42, host: 'here', startedAt: start }
    assert.deepEqual(await world.directory.workers(), [])
    await world.store.attach(worker)
    assert.deepEqual(await world.directory.workers(), [
      { ...worker, seenAt: worker.startedAt, sharesAmong: 0, waits: [] },
    ])
    await world.store.detach(worker.id)
    await world.store.detach(worker.id)
    assert.deepEqual(await world.directory.workers(), [])
    await world.store.attach({ ...worker, id: 'worker-2' })
    has(only(await world.directory.workers()), { id: 'worker-2' })
  }),

  storeCase('an application is found by its id and by its uid', async (world) => {
    const application = await world.application({
      uid: 'acme',
      name: 'Acme "Ltd", Zürich',
      metadata: { plan: 'gold "1"' },
      ratePerSecond: 5,
    })
    assert.deepEqual(await world.directory.application(application.id), application)
    assert.deepEqual(await world.directory.application('acme'), application)
    assert.equal(await world.directory.application('other'), null)
    assert.equal(await world.directory.application(world.id('app')), null)
  }),

  storeCase('a uid names one application; many may have none', async (world) => {
    await world.application({ uid: 'acme' })
    await assert.rejects(world.application({ uid: 'acme' }), { code: 'already_exists' })
    await times(2, () => world.application({ uid: null }))
    assert.equal((await world.directory.listApplications({ limit: 10, after: null })).length, 3)
  }),

  storeCase('applications are listed page by page, each once', async (world) => {
    const made = await times(5, (index) =>
      world.application({ uid: `app-${index}`, id: world.id('app', start + index) }),
    )
    const seen: string[] = []
    for (let pages = 0; pages < 6; pages += 1) {
      const page = await world.directory.listApplications({ limit: 2, after: seen.at(-1) ?? null })
      assert.ok(page.length <= 2)
      seen.push(...page.map(({ id }) => id))
    }
    assert.deepEqual(seen, made.map(({ id }) => id).toSorted())
    const newest = await world.directory.listApplications({ limit: 2, after: seen[4] ?? null, order: 'descending' })
    assert.deepEqual(
      newest.map(({ id }) => id),
      [seen[3], seen[2]],
    )
  }),

  storeCase('applications are found by part of their name, uid or id, whatever its case', async (world) => {
    const acme = await world.application({ uid: 'acme-eu', name: 'Acme Shop' })
    const power = await world.application({ uid: null, name: 'ÖKO 100% Power_Ltd' })
    await world.application({ uid: 'posthorn-operations', name: 'Acme too' })
    const table: [string, string[]][] = [
      ['acme s', [acme.id]],
      ['ACME-EU', [acme.id]],
      [acme.id.slice(0, -1), [acme.id]],
      ['ÖKO', [power.id]],
      ['100%', [power.id]],
      ['r_l', [power.id]],
      ['e_s', []],
      ['o', [acme.id, power.id].toSorted()],
      ['nobody', []],
    ]
    for (const [text, wanted] of table) {
      const found = await world.directory.listApplications({ limit: 10, after: null }, text)
      assert.deepEqual(
        found.map(({ id }) => id),
        wanted,
        text,
      )
    }
    const next = await world.directory.listApplications(
      { limit: 1, after: [acme.id, power.id].toSorted()[0] ?? '' },
      'o',
    )
    assert.equal(next.length, 1)
  }),

  storeCase('endpoints of several applications are read at once, a few of each, and counted', async (world) => {
    const [one, other, none] = await Promise.all([world.application(), world.application(), world.application()])
    const many = await times(3, (index) =>
      world.endpoint({ applicationId: one.id, id: world.id('ep', start + index), url: `https://a.example/${index}` }),
    )
    const paused = await world.endpoint({ applicationId: other.id })
    await world.change(paused, { status: 'paused', statusReason: 'by hand' }, start + 7)
    const gone = await world.endpoint({ applicationId: other.id })
    await world.change(gone, { status: 'deleted' })
    await world.endpoint()
    const found = await world.directory.endpointsOf([one.id, other.id, none.id], 2)
    const owned = (id: string) => found.filter(({ applicationId }) => applicationId === id)
    assert.deepEqual(
      owned(one.id).map(({ id, among }) => [id, among]),
      many.slice(0, 2).map(({ id }) => [id, 3]),
    )
    assert.deepEqual(owned(other.id), [
      {
        id: paused.id,
        applicationId: other.id,
        status: 'paused',
        statusReason: 'by hand',
        statusSince: start + 7,
        among: 1,
      },
    ])
    assert.equal(found.length, 3)
    assert.deepEqual(await world.directory.endpointsOf([], 2), [])
  }),

  storeCase('an application changes in what is given, and in nothing else', async (world) => {
    const application = await world.application({ uid: 'acme' })
    const renamed = await world.directory.updateApplication(
      application.id,
      { name: 'Other', uid: undefined as never },
      start + 5,
    )
    assert.deepEqual(renamed, { ...application, name: 'Other', updatedAt: start + 5 })
    assert.deepEqual(await world.directory.application(application.id), renamed)
    has(await world.directory.updateApplication(application.id, { uid: null }, start + 6), { uid: null, name: 'Other' })
    const described = { metadata: { plan: 'gold' }, ratePerSecond: 9 }
    has(await world.directory.updateApplication(application.id, described, start + 7), { ...described, name: 'Other' })
    has(await world.directory.application(application.id), described)
    assert.equal(await world.directory.application('acme'), null)
    assert.equal(await world.directory.updateApplication(world.id('app'), { name: 'x' }, start), null)
  }),

  storeCase('an application cannot take the uid of another, but may keep its own', async (world) => {
    await world.application({ uid: 'acme' })
    const other = await world.application({ uid: 'other' })
    await assert.rejects(world.directory.updateApplication(other.id, { uid: 'acme' }, start), {
      code: 'already_exists',
    })
    has(await world.directory.updateApplication(other.id, { uid: 'other', name: 'x' }, start), {
      uid: 'other',
      name: 'x',
    })
  }),

  storeCase('a deleted application is gone, with its endpoints; its uid is free', async (world) => {
    const application = await world.application({ uid: 'acme' })
    const endpoint = await world.endpoint({ applicationId: application.id })
    const elsewhere = await world.endpoint()
    const job = await world.erase(application.id, start + 5)
    has(job, { state: 'running', applicationId: application.id })
    assert.deepEqual(await world.erase(application.id, start + 6), job, 'one that is at it already is answered')
    assert.equal(await world.erase(world.id('app')), null)

    assert.equal(await world.directory.application(application.id), null)
    assert.equal(await world.directory.application('acme'), null)
    assert.equal(await world.directory.matching(application.id), null)
    assert.equal(await world.directory.endpoint(null, endpoint.id), null)
    has(only(await world.directory.endpointsById([endpoint.id])), { id: endpoint.id, status: 'deleted' })
    has(only(await world.directory.endpointsById([elsewhere.id])), { status: 'active' })
    has(await world.application({ uid: 'acme' }), { uid: 'acme' })
  }),

  storeCase('nothing can be enqueued for a deleted application', async (world) => {
    const endpoint = await world.endpoint()
    const envelope = await world.envelope([endpoint])
    await world.erase(endpoint.applicationId)
    assert.deepEqual(await world.queue.enqueue({ owner: 'anna', leaseMs: 1000, now: start, envelopes: [envelope] }), [
      { kind: 'stale' },
    ])
  }),
]
