export const mutant = {
  says: 'A send whose message may be stored is told that it is not.',
  joins: 'deadline × store',
  file: 'src/engine/send/deadlines.ts',
  find: 'hasBegun ? unknown(seconds) : withdrawn(seconds)',
  replace: 'withdrawn(seconds)',
  caughtBy: { file: 'test/engine/deadlines.test.ts', title: 'a send that the store has begun' },
}
