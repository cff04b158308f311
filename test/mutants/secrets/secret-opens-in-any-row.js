export const mutant = {
  says: 'A sealed value is not bound to its row.',
  joins: 'secrets × storage',
  file: 'src/stores/shared/secrets.ts',
  find: 'Buffer.from(`${endpointId}/${secretId}`)',
  replace: 'Buffer.from(`${endpointId}/${secretId}`.slice(0, 0))',
  caughtBy: {
    file: 'test/stores/sqlite-secrets.test.ts',
    title: 'does not open a secret under another row, or one that was changed',
  },
}
