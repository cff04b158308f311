export const mutant = {
  says: 'A copy keeps secrets sealed with the key of the source.',
  joins: 'copy × secrets',
  file: 'src/stores/move/copy.ts',
  find: 'sealedRow(name, target.vault, openedRow(name, source.vault, row))',
  replace: 'row',
  caughtBy: {
    file: 'test/cli/move/postgres-copy.test.ts',
    title: 'seals the secrets with the key of the target',
    postgres: true,
  },
}
