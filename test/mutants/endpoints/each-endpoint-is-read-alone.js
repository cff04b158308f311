export const mutant = {
  says: 'Each endpoint is read by itself: with thousands of them, every message waits for a read of its own.',
  joins: 'health × many endpoints',
  file: 'src/engine/endpoints/endpoints.ts',
  find: '(this.#next ??= this.#nextReading())',
  replace: 'this.#nextReading()',
  caughtBy: { file: 'test/engine/refresh.test.ts', title: 'are read together, each once' },
}
