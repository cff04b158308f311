import { test } from 'vitest'
import { crashRun } from './crash.ts'

const crash = crashRun()

test('on SQLite an engine that is killed and restarted again and again loses nothing', { timeout: 90_000 }, async () => {
  await crash(['--store', 'sqlite', '--kills', '4', '--restarts', '1'])
})
