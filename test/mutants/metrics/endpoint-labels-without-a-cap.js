export const mutant = {
  says: 'Every endpoint gets series of its own, however many there are.',
  joins: null,
  file: 'src/metrics/endpoint-labels.ts',
  find: 'if (this.#named.size >= this.#most)',
  replace: 'if (this.#named.size > this.#most * 1_000)',
  caughtBy: { file: 'test/metrics/counters.test.ts', title: 'a flood of endpoints becomes no flood of series' },
}
