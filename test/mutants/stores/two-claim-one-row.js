export const mutant = {
  says: 'On PostgreSQL two workers may claim the same row at the same time.',
  joins: 'claim × concurrency',
  file: 'src/stores/postgres/queue/claim.ts',
  find: '    for update of d skip locked\n',
  replace: '',
  caughtBy: {
    file: 'test/stores/postgres.test.ts',
    title: 'claims at the same time never get the same row',
    postgres: true,
  },
}
