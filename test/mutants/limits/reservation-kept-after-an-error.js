export const mutant = {
  says: 'What was set aside for a claim that failed stays so.',
  joins: 'budget × failing store',
  file: 'src/engine/claim/claim.ts',
  find: 'must not stay so.\n      for (const { unreserve } of planned) unreserve()\n      if',
  replace: 'must not stay so.\n      if',
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'of a few rows is not used up by claims that fail' },
}
