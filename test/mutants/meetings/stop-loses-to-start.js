export const mutant = {
  says: 'A stop during a start leaves the presence beating.',
  joins: 'stop × start',
  file: 'src/engine/engine.ts',
  find: 'if (this.#stopped) return this.#presence.stop()',
  replace: '',
  caughtBy: { file: 'test/engine/workers.test.ts', title: 'E16 a stop during a start wins' },
}
