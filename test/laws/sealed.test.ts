import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../acceptance/files.ts'
import { readTree } from './source.ts'

test('only secrets and what the table of sealed columns lists are sealed: a copy to another database seals those anew', () => {
  const sealing = readTree(join(root, 'src')).filter(({ text }) => /\bseal\(/.test(text))
  expect(sealing.map(({ path }) => path).toSorted()).toEqual([
    'stores/shared/directory/endpoints.ts',
    'stores/shared/lifetime.ts',
    'stores/shared/rows/sealed-columns.ts',
    'stores/shared/secrets.ts',
  ])
})
