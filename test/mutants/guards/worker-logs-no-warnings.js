export const mutant = {
  says: '`posthorn worker` writes no line of what it warns of.',
  joins: 'lost lease × log',
  file: 'src/cli/processes/worker.ts',
  find: '  sayWarnings(posthorn, terminal)\n',
  replace: '  void sayWarnings\n',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
