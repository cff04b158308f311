export const mutant = {
  says: 'The further others have fallen behind, the more places a flood gets.',
  joins: 'group commit × catching up',
  file: 'src/stores/shared/batching/tenant-places.ts',
  find: 'return Math.min(waiting, mostCounted)',
  replace: 'return Math.max(waiting, 0 * mostCounted)',
  caughtBy: { file: 'test/stores/tenant-places.test.ts', title: 'of each other tenant only the first hundred count' },
}
