export const mutant = {
  says: "A mark that is repeated after a lost answer is taken for a loser's, and its attempt is counted twice.",
  joins: 'mark × lost answer',
  file: 'src/stores/sqlite/queue/mark.ts',
  find: 'if (changes === 0 && connection.prepare(selectAttempt)',
  replace: 'if (changes < 0 && connection.prepare(selectAttempt)',
  caughtBy: {
    file: 'test/stores/sqlite.test.ts',
    title: 'a mark that is repeated after a lost answer is known already',
  },
}
