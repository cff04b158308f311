export const mutant = {
  says: 'Only the body of an answer counts towards its limit.',
  joins: null,
  file: 'src/transport/connection.ts',
  find: '> mostAnswerBytes',
  replace: '> Infinity',
  caughtBy: {
    file: 'test/security/responses.test.ts',
    title: 'costs as much reading as its sender likes, by chunk extensions',
  },
}
