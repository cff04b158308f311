export const mutant = {
  says: 'What was leased for an endpoint is sent although it was paused meanwhile.',
  joins: 'pause × leased rows',
  file: 'src/engine/attempt/attempts.ts',
  find: 'if (this.#parts.endpoints.isClosed(record) || isSlow(attempted)) void',
  replace: 'if (isSlow(attempted)) void',
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'after %s nothing more is sent', row: 'pause' },
}
