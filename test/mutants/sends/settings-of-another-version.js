export const mutant = {
  says: 'Settings count as confirmed although they were read before the version that the store confirms.',
  joins: 'fast path × edit',
  file: 'src/engine/endpoints/endpoints.ts',
  find: 'record.readAt > 0 && confirmed !== null && record.endpointsVersion === confirmed',
  replace: 'record.readAt > 0 && confirmed !== null',
  caughtBy: { file: 'test/engine/outbox.test.ts', title: 'sends with the settings that another process has stored' },
}
