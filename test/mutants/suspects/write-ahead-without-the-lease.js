export const mutant = {
  says: 'A worker that has lost its lease still writes its attempt ahead, and sends.',
  joins: 'write-ahead × fencing',
  file: 'src/stores/sqlite/queue/leases.ts',
  find: 'held.get(deliveryId, owner, epoch) !== undefined',
  replace: 'held.get(deliveryId, owner, epoch) !== null',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'an attempt that is written ahead is on record as started' },
}
