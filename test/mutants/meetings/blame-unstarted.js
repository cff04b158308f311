export const mutant = {
  says: 'A takeover is a crash, whether an attempt was started or not.',
  joins: 'poison × lease',
  file: 'src/testing/memory/claim.ts',
  find: '  return \'interrupted\'\n',
  replace: '  return \'crashed\'\n',
  caughtBy: { file: 'test/simulation/scenarios.test.ts', title: 'the world of %s keeps every promise', row: 'e01-poison-meets-lease.json' },
}
