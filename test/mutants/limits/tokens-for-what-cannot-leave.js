export const mutant = {
  says: 'Tokens are taken for rows that wait for the wire, and come on top of those of the next second.',
  joins: 'rate limit × window',
  file: 'src/engine/claim/plan.ts',
  find: 'isRateLimited(record) ? Math.min(share, this.#wireFree(record)) : share',
  replace: 'share',
  caughtBy: { file: 'test/engine/rate-limits.test.ts', title: 'is not exceeded by what had to wait' },
}
