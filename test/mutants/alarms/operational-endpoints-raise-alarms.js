export const mutant = {
  says: 'What becomes of operational webhooks raises alarms, which go to them.',
  joins: 'operational webhook × alarm',
  file: 'src/engine/upkeep/alarms.ts',
  find: 'except: targets?.applicationId ?? null,',
  replace: 'except: null,',
  caughtBy: { file: 'test/engine/alarms.test.ts', title: 'an operational endpoint that fails' },
}
