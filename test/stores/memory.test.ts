import { describe, test } from 'vitest'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { storeSuite } from 'posthorn/testing/store-suite'

describe('the memory store keeps the contract', () => {
  for (const { name, run } of storeSuite) test(name, () => run(async () => memoryStore()))
})
