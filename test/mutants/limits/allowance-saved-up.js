export const mutant = {
  says: 'Retries that an endpoint has not used in a tick are added to those of the next.',
  joins: 'allowance × tick',
  file: 'src/engine/claim/schedule.ts',
  find: 'record.retriesLeft = limits.retriesPerEndpoint',
  replace: 'record.retriesLeft += limits.retriesPerEndpoint',
  caughtBy: { file: 'test/acceptance/retry-contract.test.ts', title: 'RR-batch' },
}
