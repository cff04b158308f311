export const mutant = {
  says: 'What a tenant leaves of its places is not saved up for it.',
  joins: 'group commit × catching up',
  file: 'src/stores/shared/batching/tenant-places.ts',
  find: 'else if (left > 0) this',
  replace: 'else if (left > used) this',
  caughtBy: {
    file: 'test/stores/tenant-places.test.ts',
    title: 'what a tenant leaves of its places is saved up for it',
  },
}
