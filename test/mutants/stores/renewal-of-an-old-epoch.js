export const mutant = {
  says: 'On SQLite a renewal of an old epoch prolongs the new lease.',
  joins: 'renewal × fencing',
  file: 'src/stores/sqlite/queue/leases.ts',
  find: 'set lease_until = ?4\nwhere id = ?1 and lease_owner = ?2 and lease_epoch = ?3',
  replace: 'set lease_until = ?4\nwhere id = ?1 and lease_owner = ?2 and ?3 is not null',
  caughtBy: { file: 'test/acceptance/lease-heartbeat.test.ts', title: 'LH-guard' },
}
