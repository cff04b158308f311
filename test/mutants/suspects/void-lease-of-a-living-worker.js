export const mutant = {
  says: 'On SQLite the leases of a process that lives are over for its own workers.',
  joins: 'void leases × living worker',
  file: 'src/stores/sqlite/queue/claim.ts',
  find: '(?4 is not null and d.lease_owner not in (select value from json_each(?4)))',
  replace: '?4 is not null',
  caughtBy: { file: 'test/stores/void-leases.test.ts', title: 'leases of all workers that are attached' },
}
