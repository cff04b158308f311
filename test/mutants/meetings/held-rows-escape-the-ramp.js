export const mutant = {
  says: 'What a hold has kept back and was never attempted leaves past the ramp.',
  joins: 'hold × fresh lane',
  file: 'src/core/endpoint/verdict.ts',
  find: 'fresh: due.fresh ? left - retries : 0',
  replace: 'fresh: due.fresh ? Math.min(free.window, free.budget) : 0',
  caughtBy: { file: 'test/engine/ramp.test.ts', title: 'E3 what was kept back leaves in steps' },
  simulated: { seeds: 2_000, scenario: 'e03-hold-meets-fresh-lane.json' },
}
