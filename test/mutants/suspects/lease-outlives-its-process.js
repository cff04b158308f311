export const mutant = {
  says: 'On SQLite what a killed process has left waits for the end of its lease.',
  joins: 'void leases × restart',
  file: 'src/stores/sqlite/queue/claim.ts',
  find: '?4 is not null and d.lease_owner not in',
  replace: '?4 is null and d.lease_owner not in',
  caughtBy: { file: 'test/stores/void-leases.test.ts', title: 'a lease of a worker that is not attached' },
}
