export const mutant = {
  says: 'An application with many endpoints holds a share for each.',
  joins: 'budget × applications',
  file: 'src/engine/endpoints/budget.ts',
  find: 'ofApplication?.[group][what] ?? 0',
  replace: '0',
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'E10 that holds four fifths of all rows' },
}
