export const mutant = {
  says: 'A takeover is a crash, whether an attempt was started or not.',
  joins: 'poison × lease',
  file: 'src/testing/memory/queue/claim.ts',
  find: "  return 'interrupted'\n",
  replace: "  return 'crashed'\n",
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'E1 five killed workers cost no innocent delivery' },
  simulated: { seeds: 2_000, scenario: 'e01-poison-meets-lease.json' },
}
