export const mutant = {
  says: 'What waited for its window leaves to the endpoint as it was read before, which another process may have closed.',
  joins: 'window × edit',
  file: 'src/engine/attempt/window-queue.ts',
  find: 'record.waiting.length > 0 && !this.#isFresh(record)',
  replace: 'record.waiting.length < 0 && !this.#isFresh(record)',
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'by another process (%s) gets nothing', row: 'pause' },
}
