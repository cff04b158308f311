export const mutant = {
  says: 'A step of the ramp doubles although its deliveries failed.',
  joins: 'ramp × failures',
  file: 'src/engine/claim/ramps.ts',
  find: 'if (before !== null && isRough(before.begun, before.blamed)) return',
  replace: 'if (before !== null && before.begun < 0) return',
  caughtBy: { file: 'test/engine/ramp.test.ts', title: 'a tick of which over a tenth fails' },
}
