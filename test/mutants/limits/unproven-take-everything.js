export const mutant = {
  says: 'Endpoints without a success may hold all rows.',
  joins: 'budget × hung endpoints',
  file: 'src/engine/endpoints/budget.ts',
  find: 'Math.ceil(most / 2) - unproven',
  replace: 'most - proven[what] - unproven',
  caughtBy: { file: 'test/engine/budget.test.ts', title: '1,000 hung endpoints hold at most half of it' },
}
