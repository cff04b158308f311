export const mutant = {
  says: 'The secrets of a deleted endpoint stay in the database.',
  joins: 'secrets × deletion',
  file: 'src/stores/shared/directory/endpoints.ts',
  find: "if (next.status === 'deleted') await",
  replace: "if (next.status === 'paused') await",
  caughtBy: {
    file: 'test/stores/sqlite.test.ts',
    title: 'a deleted endpoint is not seen any more, but by the engine, and without its secrets; its uid is free',
  },
}
