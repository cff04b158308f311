export const mutant = {
  says: 'Endpoints without a success may hold all rows.',
  joins: 'budget × hung endpoints',
  file: 'src/engine/endpoints/budget.ts',
  find: 'unproven: 1 / 2, doubtful: 1 / 4',
  replace: 'unproven: 1, doubtful: 1',
  caughtBy: { file: 'test/engine/budget.test.ts', title: '1,000 hung endpoints hold at most half of it' },
}
