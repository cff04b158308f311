export const mutant = {
  says: 'A file of acceptance tests is left out of the run.',
  joins: null,
  file: 'vitest.config.ts',
  find: 'const leftOut = fast && !isNamed ? slow',
  replace: "const leftOut = fast && !isNamed ? [...slow, 'test/acceptance/backoff.test.ts']",
  caughtBy: {
    command: ['node', 'scripts/test.js', '--fast', 'test/acceptance/backoff', 'test/acceptance/layers'],
    says: 'RR-3.1-first did not run.',
  },
}
