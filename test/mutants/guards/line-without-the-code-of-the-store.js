export const mutant = {
  says: 'The line about a lost lease leaves out what the store said.',
  joins: 'lost lease × failing store',
  file: 'src/cli/logs/events.ts',
  find: '      store_code,\n',
  replace: '      store_code: null,\n',
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
