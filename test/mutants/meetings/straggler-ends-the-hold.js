export const mutant = {
  says: 'A success that began before a hold ends it.',
  joins: 'hold × straggler',
  file: 'src/core/endpoint/health.ts',
  find: 'if (evidence.generation !== health.generation || (isHeld(health, now) && !evidence.probe))',
  replace: 'if (evidence.generation > health.generation)',
  caughtBy: { file: 'test/engine/generations.test.ts', title: 'E4 of ten minutes' },
  simulated: { seeds: 2_000, scenario: 'e04-hold-meets-straggler.json' },
}
