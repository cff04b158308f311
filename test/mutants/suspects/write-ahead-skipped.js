export const mutant = {
  says: 'The attempt of a suspect leaves without a record of it.',
  joins: 'suspects × write-ahead',
  file: 'src/engine/attempt/attempts.ts',
  find: '(!sent.isSuspect || (await this.#writeAhead(sent)))',
  replace: '(sent.isSuspect || !sent.isSuspect)',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'has its attempt written ahead' },
}
