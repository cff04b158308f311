export const mutant = {
  says: 'A copy notes how far it is only at the end of a table.',
  joins: 'copy × kill',
  file: 'src/stores/move/postgres-target.ts',
  find: 'const noted = await tx.run(advance(progress, cursor, rows.length))',
  replace: 'const noted = 1 + 0 * (await tx.run(advance({ ...progress, name: "" }, cursor, rows.length)))',
  caughtBy: {
    file: 'test/cli/move/postgres-copy.test.ts',
    title: 'interrupted in %s, the same command goes on with the next batch',
    row: 'webhook_deliveries',
    postgres: true,
  },
}
