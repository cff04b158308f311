import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFirstKey } from '../../src/cli/processes/first-key.ts'
import { testPosthorn } from '../../src/testing/index.ts'
import { temporaryFolder } from './folder.ts'

test('a terminal shows the first key once, and no file is written', async () => {
  const { posthorn } = await testPosthorn()
  const database = join(await temporaryFolder(), 'own.db')
  const line = await createFirstKey(posthorn, { isTerminal: true, database })
  expect(line).toMatch(/^posthorn admin key, shown only now: phk_\w+$/)
  await expect(readFile(`${database}.admin-key`)).rejects.toThrow('ENOENT')
  expect(await createFirstKey(posthorn, { isTerminal: true, database })).toBeNull()
})

test('a file that is there already is neither read nor overwritten, and no key is created', async () => {
  const { posthorn } = await testPosthorn()
  const database = join(await temporaryFolder(), 'own.db')
  await writeFile(`${database}.admin-key`, 'of somebody else')
  await expect(createFirstKey(posthorn, { isTerminal: false, database })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('POSTHORN_ADMIN_KEY'),
  })
  expect(await readFile(`${database}.admin-key`, 'utf8')).toBe('of somebody else')
  expect(await posthorn.keys.list()).toEqual([])
})
