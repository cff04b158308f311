export const mutant = {
  says: 'A redirect counts as delivered.',
  joins: null,
  file: 'src/core/delivery/attempt.ts',
  find: 'outcome.statusCode < 300',
  replace: 'outcome.statusCode < 400',
  caughtBy: { file: 'test/core/attempt.test.ts', title: 'an answer of ' },
}
