export const mutant = {
  says: 'After a start, endpoints that failed before keep those waiting that nothing is known of.',
  joins: 'budget × restart',
  file: 'src/engine/endpoints/trust.ts',
  find: "health.failingSince === null ? 'unknown' : 'doubtful'",
  replace: "health.failingSince === null ? 'unknown' : 'unknown'",
  caughtBy: {
    file: 'test/engine/schedule.test.ts',
    title: 'after a start, one that has failed before keeps none waiting',
  },
}
