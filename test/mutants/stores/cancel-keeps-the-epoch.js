export const mutant = {
  says: 'A cancel does not raise the epoch.',
  joins: 'cancel × fencing',
  file: 'src/stores/shared/directory/operations.ts',
  find: 'lease_owner = null, lease_until = null, lease_epoch = lease_epoch + 1, updated_at',
  replace: 'lease_owner = null, lease_until = null, updated_at',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a cancelled row is dead for the given reason' },
}
