export const mutant = {
  says: 'One application that sends without end takes every place in the statements of a busy process.',
  joins: 'group commit × neighbours',
  file: 'src/stores/shared/batching/line.ts',
  find: 'return count <= most',
  replace: 'return count <= most || count > most',
  caughtBy: { file: 'test/stores/batcher.test.ts', title: 'of one application take no more places' },
}
