export const mutant = {
  says: 'A notice that is repeated after a crash is another message.',
  joins: 'notice × crash',
  file: 'src/engine/upkeep/operations.ts',
  find: 'idempotencyKey: key,',
  replace: 'idempotencyKey: null,',
  caughtBy: { file: 'test/engine/alarms.test.ts', title: 'a raise is neither lost nor sent twice' },
}
