export const mutant = {
  says: 'A copy keeps secrets sealed with the key of the source.',
  joins: 'copy × secrets',
  file: 'src/stores/move/copy.ts',
  find: "if (name === 'endpoint_secrets') return resealed(row, source.vault, target.vault)",
  replace: "if (name === 'no_table') return resealed(row, source.vault, target.vault)",
  caughtBy: {
    file: 'test/cli/move/postgres-copy.test.ts',
    title: 'seals the secrets with the key of the target',
    postgres: true,
  },
}
