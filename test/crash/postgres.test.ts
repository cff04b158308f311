import { test } from 'vitest'
import { crashRun } from './crash.ts'

const crash = crashRun()

test('on PostgreSQL workers that are killed and a database that crashes lose nothing', { timeout: 120_000 }, async () => {
  await crash(['--store', 'postgres', '--workers', '2', '--kills', '4', '--restarts', '1'])
})
