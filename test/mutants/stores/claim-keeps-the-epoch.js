export const mutant = {
  says: 'A claim does not raise the epoch, so the worker before is not fenced off.',
  joins: 'claim × fencing',
  file: 'src/stores/sqlite/queue/claim.ts',
  find: 'lease_until = ?3, lease_epoch = lease_epoch + 1\n',
  replace: 'lease_until = ?3\n',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a claim leases a due row' },
}
