import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import { startPostgres } from '../postgres-server.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { freshSchema } from '../postgres.ts'
import type { TestSchema } from '../postgres.ts'

// The oldest release that Posthorn runs on. Its binary comes as a package for Linux on x64 only: elsewhere vitest.config.ts leaves this file out.
describe('the store on PostgreSQL 14 keeps the contract', () => {
  let server: PostgresServer
  let schema: TestSchema
  beforeAll(async () => {
    server = await startPostgres('--oldest')
    schema = freshSchema(server.url)
  }, 60_000)
  afterAll(async () => {
    await schema.drop()
    await server.stop()
  })

  test('it is indeed the oldest', async () => {
    const [row] = await schema.query(`select current_setting('server_version_num')::integer / 10000 as release`)
    expect(row).toEqual({ release: 14 })
  })

  for (const { name, run } of storeSuite) test(name, () => run(emptied))

  async function emptied(): Promise<Store> {
    await schema.empty()
    return postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
  }
})
