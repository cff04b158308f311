export const mutant = {
  says: 'An attempt is counted once more than it is on record.',
  joins: 'count × mark',
  file: 'src/engine/attempt/attempts.ts',
  find: 'if (marked === null) return',
  replace: "this.#parts.engine.meter?.marked(finished.claim, settled, 'marked')\n    if (marked === null) return",
  caughtBy: { file: 'test/metrics/sums.test.ts', title: 'the counters of two workers, summed, are the rows' },
}
