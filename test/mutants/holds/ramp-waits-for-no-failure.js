export const mutant = {
  says: 'One failure keeps the ramp from growing.',
  joins: 'ramp × failures',
  file: 'src/core/limits/ramp.ts',
  find: 'mostBlamedShare = 0.1',
  replace: 'mostBlamedShare = 0',
  caughtBy: { file: 'test/engine/ramp.test.ts', title: 'a tick of which a twentieth fails' },
}
