export const mutant = {
  says: 'Each statement looks at all requests that wait, not only at those it can take.',
  joins: 'flood × group commit',
  file: 'src/stores/shared/batching/line.ts',
  find: 'if (fits && this.#places?.take(tenant) === false) break\n      seen += 1\n      if (fits) {',
  replace: 'const goes = fits && this.#places?.take(tenant) !== false\n      seen += 1\n      if (goes) {',
  caughtBy: {
    file: 'test/stores/batcher.test.ts',
    title: 'of a long queue, only what goes into the statement is looked at',
  },
}
