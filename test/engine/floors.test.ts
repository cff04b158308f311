import { describe, expect, test } from 'vitest'
import { makeFloors } from '../../src/engine/floors.ts'

const now = 1_000_000
const justBefore = now - 10_000

describe('a claim may begin', () => {
  test('at the first row, until a walk has seen all endpoints', () => {
    const floors = makeFloors()
    floors.begin('fresh', now)
    floors.note('fresh', [{ endpointId: 'ep_1', dueAt: 700 }])
    expect([floors.of('ep_1', 'fresh'), floors.of('ep_2', 'fresh'), floors.unseenFrom('fresh')]).toEqual([0, 0, 0])
  })

  test.each([
    ['the first open row was due, however long ago', 'ep_old', 700],
    ['rows may have come in unseen, if the first was due since', 'ep_new', justBefore],
    ['rows may have come in unseen, if the first is due in the future', 'ep_later', justBefore],
    ['rows may have come in unseen, if there was none', 'ep_none', justBefore],
    ['a row without a time is, which is before all others', 'ep_reset', 0],
  ])('where %s', (_, endpointId, floor) => {
    const floors = makeFloors()
    floors.begin('fresh', now)
    floors.note('fresh', [{ endpointId: 'ep_old', dueAt: 700 }, { endpointId: 'ep_new', dueAt: now - 1 }])
    floors.note('fresh', [{ endpointId: 'ep_later', dueAt: now + 60_000 }, { endpointId: 'ep_reset', dueAt: 0 }])
    floors.end('fresh')
    expect(floors.of(endpointId, 'fresh')).toBe(floor)
    expect(floors.unseenFrom('fresh')).toBe(justBefore)
    expect(floors.of(endpointId, 'retries')).toBe(0)
  })

  test('where the last whole walk said, while the next is under way', () => {
    const floors = makeFloors()
    floors.begin('fresh', now)
    floors.end('fresh')
    floors.begin('fresh', now + 5_000)
    floors.note('fresh', [{ endpointId: 'ep_1', dueAt: 700 }])
    expect(floors.of('ep_1', 'fresh')).toBe(justBefore)
    floors.end('fresh')
    expect(floors.of('ep_1', 'fresh')).toBe(700)
  })

  test('at the first row, if more endpoints have waited than can be remembered', () => {
    const floors = makeFloors()
    floors.begin('fresh', now)
    floors.note('fresh', Array.from({ length: 50_001 }, (_, index) => ({ endpointId: `ep_${index}`, dueAt: 700 })))
    floors.end('fresh')
    expect([floors.of('ep_1', 'fresh'), floors.of('ep_none', 'fresh')]).toEqual([0, 0])
  })
})
