export const mutant = {
  says: 'A message is forgotten although one of its deliveries is left.',
  joins: 'prune × fan-out',
  file: 'src/stores/shared/upkeep/prune.ts',
  find: ' and not exists (select 1 from ${deliveries} d where d.message_id = walked.id)',
  replace: '',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'a message stays as long as one delivery is left of it' },
}
