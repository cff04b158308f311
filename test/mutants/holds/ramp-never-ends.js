export const mutant = {
  says: 'A ramp goes on although nothing waits any more.',
  joins: 'ramp × walk',
  file: 'src/engine/claim/walk.ts',
  find: 'if (this.#isCaughtUp(record, now)) this.#endRamp(record)',
  replace: 'void this.#isCaughtUp(record, now)',
  caughtBy: { file: 'test/engine/ramp.test.ts', title: 'E3 what was kept back leaves in steps' },
}
