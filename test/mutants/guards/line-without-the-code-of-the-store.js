export const mutant = {
  says: 'The line about a lost lease leaves out what the store said.',
  joins: 'lost lease × failing store',
  file: 'src/cli/processes/warnings.ts',
  find: "storeCode === null ? '' : `: ${storeCode}`",
  replace: "storeCode === null ? '' : ''",
  caughtBy: { file: 'test/acceptance/lease-lost.test.ts', title: 'LH-lost' },
}
