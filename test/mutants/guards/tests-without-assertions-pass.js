export const mutant = {
  says: 'A test that asserts nothing passes.',
  joins: null,
  file: 'vitest.config.ts',
  find: 'requireAssertions: true',
  replace: 'requireAssertions: false',
  caughtBy: { file: 'test/laws/assertions.test.ts', title: 'with the settings of this project' },
}
