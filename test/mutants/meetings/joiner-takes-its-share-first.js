export const mutant = {
  says: 'A newcomer takes its share of a pool before the others have made room.',
  joins: 'joining workers × pool',
  file: 'src/core/limits/shares.ts',
  find: 'return announcedByOthers.every((among) => among >= workers) ? sharers : Math.max(current, sharers)',
  replace: 'return sharers',
  caughtBy: { file: 'test/engine/workers.test.ts', title: 'E13 five that join while the whole pool is open' },
  simulated: { seeds: 2_000, scenario: 'e13-joining-workers-meet-pool.json' },
}
