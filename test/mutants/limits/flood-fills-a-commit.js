export const mutant = {
  says: 'A tenant that floods has as many places in a group commit as it has messages waiting.',
  joins: 'group commit × tenants',
  file: 'src/stores/shared/batching/tenant-places.ts',
  find: 'return others === 0 ?',
  replace: 'return others >= 0 ?',
  caughtBy: {
    file: 'test/stores/batcher.test.ts',
    title: 'a flood of one tenant waits for itself: whoever has little to store goes with the next statement',
  },
}
