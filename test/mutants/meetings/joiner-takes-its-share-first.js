export const mutant = {
  says: 'A newcomer takes its share of a pool before the others have made room.',
  joins: 'joining workers × pool',
  file: 'src/core/limits/window.ts',
  find: 'return othersShareAmong.every((among) => among >= workers) ? share : Math.min(current, share)',
  replace: 'return share',
  caughtBy: { file: 'test/engine/workers.test.ts', title: 'E13 five that join while the whole pool is open' },
  simulated: { seeds: 2_000, scenario: 'e13-joining-workers-meet-pool.json' },
}
