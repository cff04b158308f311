import { afterAll, describe, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import { freshSchema } from '../postgres.ts'

const schema = freshSchema()
afterAll(() => schema.drop())

describe('the PostgreSQL store keeps the contract', () => {
  for (const { name, run } of storeSuite) test(name, () => run(emptied))
})

async function emptied(): Promise<Store> {
  await schema.empty()
  return postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
}
