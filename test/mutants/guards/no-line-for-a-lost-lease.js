export const mutant = {
  says: 'No line is written for a lost lease.',
  joins: 'lost lease × log',
  file: 'src/cli/processes/warnings.ts',
  find: 'say(`warning: lease.lost:',
  replace: 'void (`warning: lease.lost:',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
