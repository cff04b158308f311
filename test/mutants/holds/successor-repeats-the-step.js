export const mutant = {
  says: 'A worker that follows one that ended begins the whole step of a ramp again.',
  joins: 'crash loop × ramp',
  file: 'src/engine/claim/ramps.ts',
  find: '< startedAt ? 1 : step.allowance',
  replace: '< 0 ? 1 : step.allowance',
  caughtBy: { file: 'test/engine/workers.test.ts', title: 'that follow another within a step of a ramp' },
  simulated: { seeds: 14_000, scenario: 'crash-loop-meets-ramp.json' },
}
