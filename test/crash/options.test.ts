import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'

test.each([
  {
    what: 'a number that is none',
    args: ['--loop', 'often'],
    said: 'Expected --loop to be a whole number from 1 to 1000, got "often".',
  },
  { what: 'two modes', args: ['--stop', '--clock'], said: 'Expected one mode, got --stop and --clock.' },
  { what: 'kills beside a mode', args: ['--disk', '--kills', '2'], said: 'Expected no --kills with --disk.' },
  { what: 'two workers on SQLite', args: ['--workers', '2'], said: 'only one process may deliver from a SQLite file' },
  {
    what: 'a partition on SQLite, which has no connection',
    args: ['--partition'],
    said: 'there is no connection to cut',
  },
  {
    what: 'somebody else’s server where the database must crash',
    args: ['--store', 'postgres', '--database', 'postgres://x@127.0.0.1:1/x', '--restarts', '1'],
    said: 'those need a server of their own',
  },
  {
    what: 'a thread beside processes that only deliver',
    args: ['--store', 'postgres', '--thread'],
    said: 'Expected no --thread with --store postgres',
  },
  { what: 'an option that is none', args: ['--lop', '3'], said: "Unknown option '--lop'" },
])('the crash tool refuses $what with 2, and says why', async ({ args, said }) => {
  const program = startProgram(join(root, 'scripts/crash/main.js'), args)
  expect(await program.ended).toEqual({ code: 2, signal: null })
  expect(program.stderr).toContain(said)
  expect(program.lines).toEqual([])
})
