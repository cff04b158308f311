export const mutant = {
  says: 'The fast path sends while a breaker awaits its probe.',
  joins: 'fast path × breaker',
  file: 'src/engine/claim/schedule.ts',
  find: ' || record.health.holds > 0',
  replace: '',
  caughtBy: {
    file: 'test/engine/outbox.test.ts',
    title: 'is not taken if %s',
    row: 'the breaker of the endpoint awaits its probe',
  },
}
