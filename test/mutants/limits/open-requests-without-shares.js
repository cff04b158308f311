export const mutant = {
  says: 'One application can have all the open requests.',
  joins: 'open requests × applications',
  file: 'src/engine/endpoints/budget.ts',
  find: 'return Math.max(Math.min(ofApplication, unproven), 0)',
  replace: 'return Math.max(Math.min(free, unproven, ofApplication + free), 0)',
  caughtBy: {
    file: 'test/engine/budget.test.ts',
    title: 'one application has at most four fifths of the open requests',
  },
}
