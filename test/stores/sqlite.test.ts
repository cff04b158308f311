import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'

describe('the SQLite store keeps the contract', () => {
  for (const { name, run } of storeSuite) test(name, () => run(inFreshFolder))
})

async function inFreshFolder(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-store-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return sqlite(join(folder, 'posthorn.db'), { synchronous: 'off' })
}
