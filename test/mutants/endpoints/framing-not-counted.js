export const mutant = {
  says: 'Only the body of an answer counts towards its limit.',
  joins: null,
  file: 'src/transport/connection.ts',
  find: '> mostAnswerBytes',
  replace: '> Infinity',
  caughtBy: {
    file: 'test/security/responses.test.ts',
    title: 'is cut after 80 KiB at the latest',
  },
}
