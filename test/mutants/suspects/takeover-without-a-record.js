export const mutant = {
  says: 'A takeover leaves no attempt on record.',
  joins: 'takeover × record',
  file: 'src/stores/sqlite/queue/claim.ts',
  find: 'connection.prepare(recordInterruption).run(',
  replace: 'void (',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a lease that ran out is due again' },
}
