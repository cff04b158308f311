import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../acceptance/files.ts'
import { readTree } from './source.ts'

test('only secrets of endpoints are sealed: whatever else is, a copy to another database must seal anew, too', () => {
  const sealing = readTree(join(root, 'src')).filter(({ text }) => /\bseal\(/.test(text))
  expect(sealing.map(({ path }) => path).toSorted()).toEqual([
    'stores/shared/directory/endpoints.ts',
    'stores/shared/lifetime.ts',
    'stores/shared/rows/move-rows.ts',
    'stores/shared/secrets.ts',
  ])
})
