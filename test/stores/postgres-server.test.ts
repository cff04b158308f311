import { expect, onTestFinished, test } from 'vitest'
import { freshSchema } from '../postgres.ts'

test('a schema of a test is its own, sorts by language and is gone afterwards', async () => {
  const [one, two] = [freshSchema(), freshSchema()]
  onTestFinished(() => two.drop())
  for (const { schema, query } of [one, two]) {
    await query(`create schema ${schema}`)
    await query('create table names (name text, at bigint)')
    await query(`insert into names values ('b', $1), ('A', 1), ('a', 1), ('B', 1)`, [2 ** 53 - 1])
  }
  expect(await one.query('select name from names order by name')).toEqual(
    ['a', 'A', 'b', 'B'].map((name) => ({ name })),
  )
  expect(await one.query('select at, count(*) as count from names group by at order by at')).toEqual([
    { at: 1, count: 3 },
    { at: 2 ** 53 - 1, count: 1 },
  ])
  await one.drop()
  expect(
    await two.query(`select schema_name from information_schema.schemata where schema_name in ($1, $2)`, [
      one.schema,
      two.schema,
    ]),
  ).toEqual([{ schema_name: two.schema }])
})
