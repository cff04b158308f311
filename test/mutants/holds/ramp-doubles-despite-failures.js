export const mutant = {
  says: 'A step of the ramp doubles although its deliveries failed.',
  joins: 'ramp × failures',
  file: 'src/engine/claim/schedule.ts',
  find: ' && isRough(before.begun, before.blamed)',
  replace: ' && before.begun < 0',
  caughtBy: { file: 'test/engine/ramp.test.ts', title: 'a tick of which over a tenth fails' },
}
