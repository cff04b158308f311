export const mutant = {
  says: 'No line is written for a lost lease.',
  joins: 'lost lease × log',
  file: 'src/cli/run/warnings.ts',
  find: 'posthorn.on(\'lease.lost\', (',
  replace: 'posthorn.on(\'lease.lost\', () => undefined)\n  void ((',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
