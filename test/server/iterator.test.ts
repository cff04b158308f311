import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Page, Scan } from '../../src/core/ports/directory/page.ts'
import { listQuery, pageOf, scanOf } from '../../src/server/request/pagination.ts'
import type { ListPage } from '../../src/server/request/pagination.ts'

const ids = Array.from({ length: 7 }, (_, place) => `app_${String(place).padStart(19, '0')}`)
const self = (id: string): string => id

describe('iterators', () => {
  test.each(['ascending', 'descending'] as const)('walk a list to its end and back, %s', async (order) => {
    const all = order === 'ascending' ? ids : ids.toReversed()
    const first = await pageOf({ limit: 3, order }, 'ascending', listOf(ids), self)
    const second = await pageOf({ limit: 3, order, iterator: first.iterator }, 'ascending', listOf(ids), self)
    const third = await pageOf({ limit: 3, order, iterator: second.iterator }, 'ascending', listOf(ids), self)
    expect([first, second, third].map(({ data, done }) => ({ data, done }))).toEqual([
      { data: all.slice(0, 3), done: false },
      { data: all.slice(3, 6), done: false },
      { data: all.slice(6), done: true },
    ])
    const back = await pageOf({ limit: 3, order, iterator: third.prevIterator }, 'ascending', listOf(ids), self)
    expect(back).toEqual({ data: all.slice(3, 6), done: false, iterator: all[5], prevIterator: `-${all[3]}` })
    const begin = await pageOf({ limit: 5, order, iterator: back.prevIterator }, 'ascending', listOf(ids), self)
    expect(begin).toMatchObject({ data: all.slice(0, 3), done: true })
    const again = await pageOf({ limit: 3, order, iterator: begin.iterator }, 'ascending', listOf(ids), self)
    expect(again.data).toEqual(second.data)
  })

  test('neither skip nor repeat a row while others are inserted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(999), { minLength: 1, maxLength: 30 }),
        fc.array(fc.nat(999), { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (early, late, limit) => {
          const rows = early.map(name)
          const inserted = late.map(name).filter((row) => !rows.includes(row))
          const seen: string[] = []
          for (let iterator: string | null = null, done = false; !done;) {
            const page: ListPage<string> = await pageOf({ limit, iterator }, 'ascending', listOf(rows.toSorted()), self)
            seen.push(...page.data)
            ;({ iterator, done } = page)
            const row = inserted.pop()
            if (row !== undefined && !rows.includes(row)) rows.push(row)
          }
          expect(seen).toEqual([...new Set(seen)].toSorted())
          expect(early.map(name).filter((row) => !seen.includes(row))).toEqual([])
        },
      ),
    )
  })

  test('go on where a scan stopped, even if it found nothing', async () => {
    expect(await scanOf({ limit: 2 }, 'descending', scan, self)).toEqual({
      data: [],
      done: false,
      iterator: 'msg_9',
      prevIterator: null,
    })
    expect(await scanOf({ limit: 2, iterator: '-msg_1' }, 'descending', scan, self)).toEqual({
      data: [],
      done: false,
      iterator: null,
      prevIterator: '-msg_9',
    })
  })

  test('of an empty page is the place that was asked for', async () => {
    expect(await pageOf({ limit: 2, iterator: 'app_x' }, 'ascending', async () => [], self)).toEqual({
      data: [],
      done: true,
      iterator: 'app_x',
      prevIterator: null,
    })
    expect(await pageOf({ limit: 2 }, 'ascending', async () => [], self)).toEqual({
      data: [],
      done: true,
      iterator: null,
      prevIterator: null,
    })
  })

  test('of a name that begins with a minus does not walk back', async () => {
    const names = ['-a', '-b', 'c']
    const first = await pageOf({ limit: 1 }, 'ascending', listOf(names), self)
    expect(first.iterator).toBe('.-a')
    expect(listQuery('name').parse({ iterator: first.iterator }).iterator).toBe('.-a')
    const second = await pageOf({ limit: 1, iterator: first.iterator }, 'ascending', listOf(names), self)
    expect(second).toMatchObject({ data: ['-b'], prevIterator: '--b' })
    expect((await pageOf({ limit: 1, iterator: second.prevIterator }, 'ascending', listOf(names), self)).data).toEqual([
      '-a',
    ])
  })

  test.each([
    '',
    '-',
    'app',
    'ep_0000000000000000000',
    "app_'; drop",
    'app_0000000000000000000 ',
    '--app_0000000000000000000',
    'app_000',
  ])('are refused if they are none of the list: "%s"', (iterator) => {
    expect(listQuery('app').safeParse({ iterator }).success).toBe(false)
  })

  test.each(['0', '251', 'x', '1.5', '', '-1', '1e9'])('come with a limit from 1 to 250, so %s is refused', (limit) => {
    expect(listQuery('app').safeParse({ limit }).success).toBe(false)
  })

  test('come with fifty rows in the usual order if nothing is asked for', () => {
    expect(listQuery('app').parse({})).toEqual({ limit: 50 })
    expect(
      listQuery('app').parse({ iterator: '-app_0000000000000000000', order: 'descending', limit: '250' }),
    ).toMatchObject({ limit: 250 })
  })
})

async function scan(): Promise<Scan<string>> {
  return { items: [], next: 'msg_9' }
}

function name(number: number): string {
  return `app_${String(number).padStart(19, '0')}`
}

/** A store's list, in memory. */
function listOf(all: readonly string[]) {
  return async ({ limit, after, order }: Page): Promise<string[]> => {
    const sorted = order === 'descending' ? all.toSorted().toReversed() : all.toSorted()
    return sorted.filter((id) => after === null || (order === 'descending' ? id < after : id > after)).slice(0, limit)
  }
}
