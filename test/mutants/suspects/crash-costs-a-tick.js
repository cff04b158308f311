export const mutant = {
  says: 'A suspect that has crashed its worker uses up the tick of the next one, though nothing was sent.',
  joins: 'crash × suspects',
  file: 'src/engine/attempt/attempts.ts',
  find: 'this.#parts.schedule.reconsider(crashed.record)',
  replace: '',
  caughtBy: { file: 'test/engine/suspects.test.ts', title: 'of one delivery keeps no other suspect of its endpoint' },
  simulated: { seeds: 5_000, scenario: 'crashed-suspect-meets-the-next.json' },
}
