import { describe, expect, test } from 'vitest'
import { whereDelivery } from '../../src/stores/shared/sql/filter.ts'
import { all, insertInto, listOf, render, sql, table, raw } from '../../src/stores/shared/sql/sql.ts'
import type { Dialect } from '../../src/stores/shared/sql/sql.ts'
import { sqliteDialect } from '../../src/stores/sqlite/connection.ts'

const postgres: Dialect = {
  placeholder: (position) => `$${position}`,
  table: (name) => `posthorn.${name}`,
  keywords: { binary: 'bytea', id: 'text', forUpdate: 'for update' },
}

describe('the sql tag', () => {
  test('one text serves both databases: values as parameters, pieces spliced in, tables by their full names', () => {
    const piece = sql`id = ${'a'} and n > ${2}`
    const statement = sql`select 1 from ${table('endpoints')} where ${piece} and x is not ${null}`
    const values = ['a', 2, null]
    expect(render(statement, sqliteDialect)).toEqual({
      text: 'select 1 from posthorn_endpoints where id = ?1 and n > ?2 and x is not ?3',
      values,
    })
    expect(render(statement, postgres)).toEqual({
      text: 'select 1 from posthorn.endpoints where id = $1 and n > $2 and x is not $3',
      values,
    })
  })

  test('only webhook_deliveries keeps its bare name on SQLite', () => {
    expect(render(table('webhook_deliveries'), sqliteDialect).text).toBe('webhook_deliveries')
    expect(render(table('messages'), sqliteDialect).text).toBe('posthorn_messages')
  })

  test('what a user gave never becomes text, not even bytes or an injection', () => {
    const bytes = Buffer.from('x')
    const given = [`'; drop table webhook_deliveries; --`, bytes]
    const { text, values } = render(insertInto('messages', { id: given[0] ?? null, body: bytes }), sqliteDialect)
    expect(text).toBe('insert into posthorn_messages (id, body)\nvalues (?1, ?2)')
    expect(values).toEqual(given)
  })

  test('lists are filled up to a power of two, so that few texts serve all lengths', () => {
    expect(render(listOf(['a', 'b', 'c']), sqliteDialect)).toEqual({
      text: '(?1, ?2, ?3, ?4)',
      values: ['a', 'b', 'c', 'c'],
    })
    expect(render(listOf(['a']), sqliteDialect).values).toEqual(['a'])
  })

  test('no condition is a condition that holds', () => {
    expect(render(all([]), sqliteDialect).text).toBe('1 = 1')
    expect(render(all([raw('a'), raw('b')]), sqliteDialect).text).toBe('a\n  and b')
  })
})

describe('a filter', () => {
  test('of no ids, or of no status, picks nothing', () => {
    expect(render(whereDelivery({ ids: [] }), sqliteDialect).text).toBe('1 = 0')
    expect(render(whereDelivery({ status: [] }), sqliteDialect).text).toBe('1 = 0')
  })

  test('of too many ids is refused', () => {
    const ids = Array.from({ length: 10_001 }, (_, index) => `dlv_${index}`)
    expect(() => whereDelivery({ ids })).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })

  test('names several statuses in the order of the index, each once', () => {
    expect(render(whereDelivery({ status: ['failed', 'pending', 'failed'] }), sqliteDialect).text).toBe(
      `status in ('pending', 'failed')`,
    )
  })

  test('turns times into ranges of the ids', () => {
    const { text, values } = render(whereDelivery({ since: 32, until: 64 }), sqliteDialect)
    expect(text).toBe('id >= ?1\n  and id < ?2')
    expect(values).toEqual(['dlv_0000000100000000000', 'dlv_0000000200000000000'])
  })
})
