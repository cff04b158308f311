export const mutant = {
  says: 'A message is forgotten although one of its deliveries is left.',
  joins: 'prune × fan-out',
  file: 'src/stores/shared/upkeep/prune.ts',
  find: ' and (select d.message_id from ${deliveries} d where d.message_id = walked.id limit 1) is null',
  replace: '',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a message stays as long as one delivery is left of it' },
}
