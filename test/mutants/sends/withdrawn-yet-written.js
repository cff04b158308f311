export const mutant = {
  says: 'A send that was told that nothing was stored is stored after all.',
  joins: 'deadline × store',
  file: 'src/engine/send/outbox.ts',
  find: 'deadline.mayBegin()',
  replace: 'deadline.mayBegin() || true',
  caughtBy: { file: 'test/engine/deadlines.test.ts', title: 'a send that the store has not begun' },
}
