export const mutant = {
  says: 'The reserve for catching up is full again with every statement.',
  joins: 'group commit × catching up',
  file: 'src/stores/shared/batching/tenant-places.ts',
  find: 'if (left >= used) this',
  replace: 'if (left >= used - reservePlaces) this',
  caughtBy: {
    file: 'test/stores/tenant-places.test.ts',
    title: 'with its reserve of 4,000 places a tenant catches up, by at most 128 in a statement',
  },
}
