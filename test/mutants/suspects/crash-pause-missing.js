export const mutant = {
  says: 'What has just ended a worker is due again at once.',
  joins: 'crash × retry',
  file: 'src/core/delivery/delivery.ts',
  find: 'now + Math.round(pauseMs * (0.5 + random()))',
  replace: 'now',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'is a started attempt whose lease is over' },
}
