export const mutant = {
  says: "The retries of a tick are one endpoint's for all of them.",
  joins: 'allowance × endpoints',
  file: 'src/engine/claim/schedule.ts',
  find: 'this.#retriesLeft = limits.retriesPerTick',
  replace: 'this.#retriesLeft = limits.retriesPerEndpoint',
  caughtBy: { file: 'test/engine/schedule.test.ts', title: 'leaves on the tick, within its cap per endpoint' },
}
