export const mutant = {
  says: 'Whoever has fallen behind a flood has no more places than half of what the flood has waiting.',
  joins: 'group commit × catching up',
  file: 'src/stores/shared/batching/tenant-places.ts',
  find: 'if (used >= reservePlaces) return false',
  replace: 'if (used >= 0 * reservePlaces) return false',
  caughtBy: {
    file: 'test/stores/tenant-places.test.ts',
    title: 'whoever has fallen behind a flood catches up with it',
  },
}
