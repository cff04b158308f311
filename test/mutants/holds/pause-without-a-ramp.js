export const mutant = {
  says: 'What a pause has kept back leaves at once when it ends.',
  joins: 'pause × ramp',
  file: 'src/core/endpoint/health.ts',
  find: 'const rampFrom = keptBack || health.heldUntil !== null',
  replace: 'const rampFrom = health.heldUntil !== null',
  caughtBy: { file: 'test/engine/ramp.test.ts', title: 'after a pause, too' },
}
