export const mutant = {
  says: 'On PostgreSQL a mark is fenced by its epoch only: anybody may mark.',
  joins: 'fencing × owner',
  file: 'src/stores/postgres/queue/mark.ts',
  find: "d.lease_owner || '' = $1 and d.lease_epoch = m.epoch",
  replace: '$1::text is not null and d.lease_epoch = m.epoch',
  caughtBy: { file: 'test/stores/postgres.test.ts', title: 'a wrong owner has lost', postgres: true },
}
