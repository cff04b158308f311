export const mutant = {
  says: 'A worker that follows one that ended begins the whole step of a ramp again.',
  joins: 'crash loop × ramp',
  file: 'src/core/limits/ramp.ts',
  find: '< startedAt) return',
  replace: '< 0 * startedAt) return',
  caughtBy: { file: 'test/engine/workers.test.ts', title: 'that follow another within a step of a ramp' },
  simulated: { seeds: 14_000, scenario: 'crash-loop-meets-ramp.json' },
}
