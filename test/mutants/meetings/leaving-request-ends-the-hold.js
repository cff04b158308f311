export const mutant = {
  says: 'A success of a request that was about to leave when a hold was stored ends it.',
  joins: 'hold × fast path',
  file: 'src/core/endpoint/health.ts',
  find: ' || (isHeld(health, now) && !evidence.probe)',
  replace: '',
  caughtBy: {
    file: 'test/simulation/scenarios.test.ts',
    title: 'the world of %s keeps every promise',
    row: 'hold-meets-leaving-request.json',
  },
}
