export const mutant = {
  says: 'The failure of an operational webhook is told by another one.',
  joins: 'operational webhook × failed message',
  file: 'src/engine/upkeep/attempt-notices.ts',
  find: 'if (endpoint === undefined || endpoint.applicationId === targets.applicationId) return',
  replace: 'if (endpoint === undefined) return',
  caughtBy: { file: 'test/engine/alarms.test.ts', title: 'an operational endpoint that fails' },
}
