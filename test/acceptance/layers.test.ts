import { expect, test } from 'vitest'
import { heartbeatLayers } from '../laws/laws.ts'
import { readTree } from '../laws/source.ts'
import { root } from './files.ts'

test('LH-layers the heartbeat is scheduled in the engine and written down in the stores, and a crossing is found', () => {
  const tree = readTree(`${root}/src`)
  expect(tree.flatMap(({ path, text }) => heartbeatLayers(path, text))).toEqual([])

  // Both halves are there to be told apart.
  const schedulers = tree.filter(({ text }) => /heartbeatMs\(/.test(text)).map(({ path }) => path.split('/', 1)[0])
  const writers = tree
    .filter(({ text }) => /set lease_until|lease_until = /.test(text))
    .map(({ path }) => path.split('/', 1)[0])
  expect(new Set(schedulers)).toEqual(new Set(['core', 'engine']))
  expect(new Set(writers)).toEqual(new Set(['stores']))

  const heartbeat = tree.find(({ path }) => path === 'engine/attempt/leases.ts')?.text ?? ''
  expect(heartbeatLayers('stores/leases.ts', heartbeat)).not.toEqual([])
  for (const { text } of tree.filter(
    (file) => file.path.startsWith('stores/') && file.text.includes('lease_until = '),
  )) {
    expect(heartbeatLayers('engine/statements.ts', text)).not.toEqual([])
  }
})
