export const mutant = {
  says: 'What an earlier round has decided and not sent is forgotten.',
  joins: 'notice × crash',
  file: 'src/engine/upkeep/alarms.ts',
  find: '...alarms.filter(({ owed }) => owed !== null),',
  replace: '',
  caughtBy: { file: 'test/engine/alarms.test.ts', title: 'a raise is neither lost nor sent twice' },
}
