export const mutant = {
  says: 'A dead row that was set back by plain SQL has no time, and never leaves.',
  joins: 'requeue by SQL × due',
  file: 'src/stores/sqlite/queue/claim.ts',
  find: 'and coalesce(d.next_retry_at, 0) <= ?2',
  replace: 'and d.next_retry_at <= ?2',
  caughtBy: { file: 'test/acceptance/uc-0270-cap.test.ts', title: 'UC-0270-S2' },
}
