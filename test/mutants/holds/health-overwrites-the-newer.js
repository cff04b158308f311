export const mutant = {
  says: 'A worker writes the health over what another has written since.',
  joins: 'health × workers',
  file: 'src/stores/shared/health.ts',
  find: ' and version = ${given.version}',
  replace: '',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'health is saved only over the version it was read with' },
}
