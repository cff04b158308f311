import { describe, test } from 'vitest'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import { freshPath } from './sqlite-folder.ts'
import { StrictDriver } from './strict-driver.ts'

describe('the SQLite store keeps the contract with a driver that the application hands in', () => {
  for (const { name, run } of storeSuite) {
    test(name, async () => {
      const path = await freshPath()
      await run(async () => sqlite({ open: () => new StrictDriver(path), synchronous: 'off', plaintextSecrets: true }))
    })
  }
})
