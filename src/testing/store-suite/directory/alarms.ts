import assert from 'node:assert/strict'
import type { Alarm } from '../../../core/alarms/alarm.ts'
import type { AlarmReadings } from '../../../core/alarms/findings.ts'
import { windowMs } from '../../../core/alarms/signals.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { healthy } from '../../../core/endpoint/health.ts'
import type { AlarmReadingsRequest } from '../../../core/ports/alarms.ts'
import { day, minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, delivered } from '../queue/marks.ts'
import { has, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

export const alarmCases = [
  storeCase('an alarm comes back as saved, one version on', async (world) => {
    const rate = anAlarm('dead-letter-rate')
    const failing = anAlarm('endpoint-failing:ep_1', {
      signal: 'endpoint-failing',
      subject: 'ep_1',
      level: 2,
      value: 0.25,
      threshold: 1 / 3,
      raisedAt: start,
      resolvedAt: start + 1,
      notifiedAt: start + 2,
      owed: 'repeated',
      owedAt: start + 3,
    })
    assert.deepEqual(await world.directory.saveAlarms([failing, rate]), [failing.id, rate.id])
    assert.deepEqual(await world.directory.alarms(), [
      { ...rate, version: 1 },
      { ...failing, version: 1 },
    ])
    const calm = { ...rate, version: 1, level: 0, owed: null } as const
    assert.deepEqual(await world.directory.saveAlarms([calm]), [rate.id])
    has((await world.directory.alarms())[0], { ...calm, version: 2 })
  }),

  storeCase('an alarm is saved and forgotten only over the version it was read with', async (world) => {
    const alarm = anAlarm('backlog', { signal: 'backlog' })
    assert.deepEqual(await world.directory.saveAlarms([{ ...alarm, version: 1 }]), [], 'there is none yet')
    const answers = await times(5, (value) => world.directory.saveAlarms([{ ...alarm, value }]))
    assert.equal(answers.flat().length, 1, 'of many one is first')
    await world.directory.forgetAlarms([alarm])
    assert.equal((await world.directory.alarms()).length, 1)
    await world.directory.forgetAlarms([{ ...alarm, version: 1 }])
    assert.deepEqual(await world.directory.alarms(), [])
  }),

  storeCase('what processes note is counted, and stays when the alarm is saved', async (world) => {
    await world.directory.noteAlarm({ signal: 'lease-lost', count: 2, now: start })
    await world.directory.noteAlarm({ signal: 'lease-lost', count: 3, now: start + 5 })
    const [kept] = await world.directory.alarms()
    has(kept, {
      id: 'lease-lost',
      signal: 'lease-lost',
      subject: '',
      level: 0,
      noted: 5,
      notedAt: start + 5,
      version: 1,
    })
    assert.ok(kept !== undefined)
    await world.directory.noteAlarm({ signal: 'lease-lost', count: 1, now: start + 6 })
    assert.deepEqual(await world.directory.saveAlarms([{ ...kept, level: 1, raisedAt: start }]), ['lease-lost'])
    has(only(await world.directory.alarms()), { level: 1, noted: 6, notedAt: start + 6, version: 2 })
  }),

  storeCase('after a window without it, what is noted is counted anew', async (world) => {
    await world.directory.noteAlarm({ signal: 'lease-lost', count: 2, now: start })
    await world.directory.noteAlarm({ signal: 'lease-lost', count: 3, now: start + windowMs })
    has(only(await world.directory.alarms()), { noted: 3, notedAt: start + windowMs })
  }),

  storeCase('a beat notes the workers that it finds gone, once', async (world) => {
    const [anna, bert, carl] = ['anna', 'bert', 'carl'].map((id) => ({ id, pid: 1, host: 'here', startedAt: start }))
    assert.ok(anna !== undefined && bert !== undefined && carl !== undefined)
    for (const worker of [anna, bert, carl]) await world.store.attach(worker)
    const beat = (now: number, goneBefore: number) =>
      world.store.beat(anna, { now, goneBefore, sharesAmong: 1, waits: [] })
    await beat(start + 5, start)
    assert.deepEqual(await world.directory.alarms(), [], 'all of them live')
    await beat(start + 10, start + 1)
    has(only(await world.directory.alarms()), { id: 'worker-lost', noted: 2, notedAt: start + 10 })
    await beat(start + 15, start + 1)
    has(only(await world.directory.alarms()), { noted: 2, notedAt: start + 10 })
  }),

  storeCase('readings count what ended within the window, without the application that is left out', async (world) => {
    const [one, other] = await times(2, () => world.endpoint())
    assert.ok(one !== undefined && other !== undefined)
    await world.settled(one, delivered)
    await world.settled(one, delivered)
    await world.settled(one, dead)
    await world.settled(other, dead)
    has(await readings(world), { delivered: 2, dead: 2 })
    has(await readings(world, { except: other.applicationId }), { delivered: 2, dead: 1 })
    has(await readings(world, { now: start + windowMs + minute }), { delivered: 0, dead: 0 })
  }),

  storeCase('readings find the oldest due row and count what is due, up to a bound', async (world) => {
    const [one, other] = await times(2, () => world.endpoint())
    assert.ok(one !== undefined && other !== undefined)
    has(await readings(world), { oldestDueAt: null, dueRows: 0 })
    await world.send(one, { dueAt: start - 5 })
    await world.send(one, { dueAt: start + 5 })
    await world.send(other, { dueAt: start - 9 })
    has(await readings(world), { oldestDueAt: start - 9, dueRows: 2 })
    has(await readings(world, { except: other.applicationId }), { oldestDueAt: start - 5, dueRows: 1 })
    has(await readings(world, { now: start + 5, mostDue: 1 }), { dueRows: 2 })
    has(await readings(world, { now: start + 5, mostDue: 100 }), { dueRows: 3 })
  }),

  storeCase('readings leave out what waits for its endpoint', async (world) => {
    const [held, probing, ramping, paused, free] = await times(5, () => world.endpoint())
    assert.ok(held && probing && ramping && paused && free)
    for (const endpoint of [held, probing, ramping, paused]) await world.send(endpoint, { dueAt: start - 9 })
    await world.send(free, { dueAt: start - 5 })
    await world.queue.saveHealth(held.id, { ...healthy, heldUntil: start + 1 })
    await world.queue.saveHealth(probing.id, { ...healthy, heldUntil: start, holds: 1 })
    await world.queue.saveHealth(ramping.id, { ...healthy, rampFrom: start })
    await world.change(paused, { status: 'paused' })
    has(await readings(world), { oldestDueAt: start - 5, dueRows: 1 })
    has(await readings(world, { now: start + 1 }), { oldestDueAt: start - 9, dueRows: 2 })
  }),

  storeCase('readings name the endpoints that fail for long, the longest first', async (world) => {
    const [old, older, young, few, off] = await times(5, () => world.endpoint())
    assert.ok(old && older && young && few && off)
    const failing = { ...healthy, failingSince: start - day, failedAttempts: 10 }
    await world.queue.saveHealth(old.id, failing)
    await world.queue.saveHealth(older.id, { ...failing, failingSince: start - 2 * day })
    await world.queue.saveHealth(young.id, { ...failing, failingSince: start - day + 1 })
    await world.queue.saveHealth(few.id, { ...failing, failedAttempts: 9 })
    await world.queue.saveHealth(off.id, failing)
    await world.change(off, { status: 'disabled' })
    const names = async (change: Partial<AlarmReadingsRequest> = {}) =>
      (await readings(world, change)).failing.map(({ endpointId }) => endpointId)
    assert.deepEqual(await names(), [older.id, old.id])
    assert.deepEqual(await names({ mostSubjects: 1 }), [older.id])
    assert.deepEqual(await names({ except: older.applicationId }), [old.id])
    assert.equal((await readings(world)).failing[1]?.failingSince, start - day)
  }),

  storeCase('readings name the endpoints that were disabled for their failures, not by a person', async (world) => {
    const [gone, later, byPerson, enabled] = await times(4, () => world.endpoint())
    assert.ok(gone && later && byPerson && enabled)
    const disable = ({ id, url }: Endpoint, now: number) =>
      world.queue.disable({ endpointId: id, url, generation: 0, reason: 'gone', now })
    await disable(gone, start)
    await disable(later, start + 1)
    await disable(enabled, start)
    await world.change(enabled, { status: 'active', statusReason: null })
    await world.change(byPerson, { status: 'disabled', statusReason: 'by anna' })
    assert.deepEqual((await readings(world)).disabled, [
      { endpointId: later.id, disabledAt: start + 1 },
      { endpointId: gone.id, disabledAt: start },
    ])
    has(await readings(world, { disabledSince: start + 1, except: later.applicationId }), { disabled: [] })
  }),
]

function readings(world: World, change: Partial<AlarmReadingsRequest> = {}): Promise<AlarmReadings> {
  const now = change.now ?? start
  return world.directory.alarmReadings({
    now,
    windowMs,
    mostDue: 100,
    mostSubjects: 10,
    failingBefore: now - day,
    leastFailedAttempts: 10,
    disabledSince: start - day,
    disabledBecause: ['gone', 'failing'],
    except: null,
    ...change,
  })
}

function anAlarm(id: string, change: Partial<Alarm> = {}): Alarm {
  return {
    id,
    signal: 'dead-letter-rate',
    subject: '',
    level: 1,
    value: 3,
    threshold: 2,
    raisedAt: start,
    resolvedAt: null,
    notifiedAt: null,
    owed: 'raised',
    owedAt: start,
    noted: 0,
    notedAt: null,
    version: 0,
    ...change,
  }
}
