export const mutant = {
  says: 'Settings count as confirmed although they were read before the version that the store confirms.',
  joins: 'fast path × edit',
  file: 'src/engine/endpoints/endpoints.ts',
  find: 'return record !== undefined && record.readAt > 0 && record.endpointsVersion === endpointsVersion',
  replace: 'return record !== undefined && record.readAt > 0',
  caughtBy: { file: 'test/engine/outbox.test.ts', title: 'sends with the settings that another process has stored' },
}
