export const mutant = {
  says: 'Rows that were claimed ahead for a quick endpoint stay with it although it has become slow.',
  joins: 'window × slow endpoints',
  file: 'src/engine/attempt/attempts.ts',
  find: 'if (this.#parts.endpoints.isClosed(record) || isSlow(attempted)) void',
  replace: 'if (this.#parts.endpoints.isClosed(record)) void',
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'keeps nothing that was claimed ahead' },
}
