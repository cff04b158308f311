export const mutant = {
  says: 'The acceptance tests run on SQLite only.',
  joins: null,
  file: 'test/acceptance/databases.ts',
  find: 'isFast ? [onSqlite] : [onSqlite, onPostgres]',
  replace: '[onSqlite]',
  caughtBy: {
    command: ['node', 'scripts/test.js', 'test/acceptance/uc-0269'],
    says: 'UC-0269-S1 did not run on postgres.',
    postgres: true,
  },
}
