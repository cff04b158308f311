export const mutant = {
  says: 'A requeue does not raise the epoch, so a late mark of the life before counts in the new one.',
  joins: 'requeue × fencing',
  file: 'src/stores/shared/directory/operations.ts',
  find: 'lease_epoch = lease_epoch + 1, interruptions = 0, crash_count = 0',
  replace: 'interruptions = 0, crash_count = 0',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a requeued dead row begins again' },
}
