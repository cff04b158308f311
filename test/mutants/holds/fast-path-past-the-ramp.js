export const mutant = {
  says: 'The fast path sends past the ramp after a hold.',
  joins: 'fast path × ramp',
  file: 'src/engine/claim/schedule.ts',
  find: ' || record.health.rampFrom !== null',
  replace: '',
  caughtBy: {
    file: 'test/engine/outbox.test.ts',
    title: 'is not taken if %s',
    row: 'a hold of the endpoint has ended, and what it kept back leaves in steps',
  },
}
