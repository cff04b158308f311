export const mutant = {
  says: 'A newcomer takes its share of a step of the ramp before the others have made room.',
  joins: 'joining workers × ramp',
  file: 'src/engine/claim/ramps.ts',
  find: '{ sharers: shares.sharers, startedAt }, now)',
  replace: '{ sharers: Number.isFinite(shares.sharers) ? shares.sharers : shares.sharesAmong, startedAt: 0 }, now)',
  caughtBy: {
    file: 'test/engine/workers.test.ts',
    title: 'that join while a ramp lasts send one of its first step each',
  },
  simulated: { seeds: 3_000, scenario: 'newcomers-meet-ramp.json' },
}
