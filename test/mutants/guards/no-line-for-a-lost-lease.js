export const mutant = {
  says: 'No line is written for a lost lease.',
  joins: 'lost lease × log',
  file: 'src/cli/logs/events.ts',
  find: "'lease.lost': {\n    level: 'warn',",
  replace: "'lease.lost': {\n    level: 'debug',",
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
