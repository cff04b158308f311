export const mutant = {
  says: 'All endpoints together may begin any number of retries in a tick.',
  joins: 'allowance × endpoints',
  file: 'src/engine/claim/schedule.ts',
  find: 'Math.min(record.retriesLeft, this.#retriesLeft)',
  replace: 'record.retriesLeft',
  caughtBy: { file: 'test/engine/schedule.test.ts', title: 'has a cap of all endpoints together' },
}
