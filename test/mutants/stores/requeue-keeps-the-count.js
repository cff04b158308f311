export const mutant = {
  says: 'A requeued row goes on with the count of its life before.',
  joins: 'requeue × retry policy',
  file: 'src/stores/shared/directory/operations.ts',
  find: 'reason = null, attempt_count = 0, next_retry_at',
  replace: 'reason = null, next_retry_at',
  caughtBy: { file: 'test/acceptance/uc-0270-cap.test.ts', title: 'UC-0270-S2' },
}
