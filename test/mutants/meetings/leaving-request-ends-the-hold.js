export const mutant = {
  says: 'A success of a request that was about to leave when a hold was stored ends it.',
  joins: 'hold × fast path',
  file: 'src/core/endpoint/health.ts',
  find: ' || (isHeld(health, now) && !evidence.probe)',
  replace: '',
  caughtBy: { file: 'test/core/health.test.ts', title: 'is not ended by the success of a request' },
}
