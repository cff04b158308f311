export const mutant = {
  says: 'What was set aside for a claim that failed stays so.',
  joins: 'budget × failing store',
  file: 'src/engine/claim/claim.ts',
  find: '    } finally {\n      // After an error, too: otherwise the reservations would never be released.\n      for (const { unreserve } of planned) unreserve()',
  replace: '    } finally {',
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'of a few rows is not used up by claims that fail' },
}
