export const mutant = {
  says: 'A value that no key opens ends the rotation.',
  joins: 'secrets × rotation',
  file: 'src/stores/shared/upkeep/reseal.ts',
  find: "thrown.code === 'secrets_unreadable') return null",
  replace: "thrown.code === 'store_failed') return null",
  caughtBy: {
    file: 'test/security/rotation.test.ts',
    title: 'names what no key of the ring opens, leaves it as it is, and says so with its exit code',
  },
}
