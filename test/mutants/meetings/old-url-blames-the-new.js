export const mutant = {
  says: 'What the URL before answers counts against the new one.',
  joins: 'health × edit',
  file: 'src/core/endpoint/health.ts',
  find: 'if (!evidence.sameUrl) return unchanged',
  replace: '',
  caughtBy: { file: 'test/engine/generations.test.ts', title: 'E5 is not disabled by a 410' },
  simulated: { seeds: 2_000, scenario: 'e05-health-meets-edit.json' },
}
