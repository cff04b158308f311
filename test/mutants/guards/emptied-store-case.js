export const mutant = {
  says: 'A case of the conformance suite was emptied.',
  joins: null,
  file: 'src/testing/store-suite/queue/prune.ts',
  find: "storeCase('prune with nothing to forget answers 0', async (world) => {",
  replace:
    "storeCase('prune with nothing to forget answers 0', async () => {}),\n  storeCase('another', async (world) => {",
  caughtBy: { file: 'test/stores/memory.test.ts', title: 'prune with nothing to forget answers 0' },
}
