export const mutant = {
  says: 'An import takes over an application that only has the same uid.',
  joins: 'import × collisions',
  file: 'src/cli/import/plan.ts',
  find: 'return found === undefined || markIn(found)?.id === svixId ? null : found.id',
  replace: 'return found === undefined || svixId !== "" ? null : found.id',
  caughtBy: {
    file: 'test/cli/move/import.test.ts',
    title: 'refuses everything if a uid is in use here by something that was not imported',
  },
}
