export const mutant = {
  says: 'An outcome that comes late leaves `crashed` on record, although its worker lived.',
  joins: 'late mark × write-ahead',
  file: 'src/stores/sqlite/queue/mark.ts',
  find: 'where outcome in ${provisionalText} or excluded.late < late',
  replace: 'where excluded.late < late',
  caughtBy: { file: 'test/stores/sqlite.test.ts', title: 'an outcome that comes too late takes the place' },
}
