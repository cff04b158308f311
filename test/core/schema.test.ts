import { expect, test } from 'vitest'
import { z } from 'zod'
import { PosthornError } from '../../src/core/errors.ts'
import { checkData } from '../../src/core/message/schema.ts'
import type { Schema } from '../../src/core/message/schema.ts'

const invoice = z.object({ id: z.number(), lines: z.array(z.object({ amount: z.number() })) })

function schemaOf(validate: Schema['~standard']['validate']): Schema {
  return { '~standard': { version: 1, vendor: 'test', validate } }
}

test('data that a schema allows passes', async () => {
  await expect(checkData('invoice.paid', invoice, { id: 7, lines: [{ amount: 1 }] })).resolves.toBeUndefined()
})

test('data that it does not allow is refused with the path of every issue', async () => {
  const refused = checkData('invoice.paid', invoice, { id: '7', lines: [{ amount: 'x' }] })
  await expect(refused).rejects.toBeInstanceOf(PosthornError)
  await expect(refused).rejects.toMatchObject({ code: 'schema_mismatch' })
  await expect(refused).rejects.toThrow(
    /^Expected `data` to be what the schema of invoice\.paid allows, got "id: .*; lines\.0\.amount: /,
  )
})

test.each([
  ['no path', [{ message: 'is wrong' }], '"is wrong"'],
  ['an empty path', [{ message: 'is wrong', path: [] }], '"is wrong"'],
  ['a path of keys', [{ message: 'is wrong', path: ['a', 0] }], '"a.0: is wrong"'],
  ['a path of segments', [{ message: 'is wrong', path: [{ key: 'a' }, { key: 1 }] }], '"a.1: is wrong"'],
  ['two issues', [{ message: 'one' }, { message: 'two' }], '"one; two"'],
  ['more than five', Array.from({ length: 9 }, (_, index) => ({ message: `${index}` })), '"0; 1; 2; 3; 4"'],
])('an issue with %s can be read', async (_, issues, shown) => {
  await expect(
    checkData(
      'a',
      schemaOf(() => ({ issues })),
      {},
    ),
  ).rejects.toThrow(`allows, got ${shown}.`)
})

test('a schema that answers later is waited for', async () => {
  await expect(
    checkData(
      'a',
      schemaOf(async () => ({ issues: [{ message: 'late' }] })),
      {},
    ),
  ).rejects.toThrow('"late"')
  await expect(
    checkData(
      'a',
      schemaOf(async (value) => ({ value })),
      {},
    ),
  ).resolves.toBeUndefined()
})
