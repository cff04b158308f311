export const mutant = {
  says: 'What was requeued is taken for fresh, and goes past the allowance of the retries.',
  joins: 'requeue × lanes',
  file: 'src/core/delivery/delivery.ts',
  find: ' && delivery.requeuedAt === null',
  replace: '',
  caughtBy: { file: 'test/core/delivery.test.ts', title: 'the lane of a delivery that was ' },
}
