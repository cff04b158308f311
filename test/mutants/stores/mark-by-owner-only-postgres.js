export const mutant = {
  says: 'On PostgreSQL a mark is fenced by its owner only: an old epoch overwrites the new one.',
  joins: 'fencing × requeue',
  file: 'src/stores/postgres/queue/mark.ts',
  find: "d.lease_owner || '' = $1 and d.lease_epoch = m.epoch",
  replace: "d.lease_owner || '' = $1",
  caughtBy: { file: 'test/stores/postgres.test.ts', title: 'an old epoch has lost', postgres: true },
}
