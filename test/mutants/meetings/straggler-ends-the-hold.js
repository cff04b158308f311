export const mutant = {
  says: 'A success that began before a hold ends it.',
  joins: 'hold × straggler',
  file: 'src/core/health.ts',
  find: 'if (evidence.generation !== health.generation)',
  replace: 'if (evidence.generation > health.generation)',
  caughtBy: { file: 'test/simulation/scenarios.test.ts', title: 'the world of %s keeps every promise', row: 'e04-hold-meets-straggler.json' },
}
