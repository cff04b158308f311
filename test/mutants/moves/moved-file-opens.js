export const mutant = {
  says: 'A file that was copied can be opened again.',
  joins: 'copy × start',
  file: 'src/stores/sqlite/index.ts',
  find: '    await refuseMoved(database, path)\n',
  replace: '',
  caughtBy: {
    file: 'test/cli/move/postgres-copy.test.ts',
    title: 'nothing opens the file again until it is taken back, nor the target until it is whole',
    postgres: true,
  },
}
