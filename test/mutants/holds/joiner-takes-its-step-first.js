export const mutant = {
  says: 'A newcomer takes its share of a step of the ramp before the others have made room.',
  joins: 'joining workers × ramp',
  file: 'src/engine/claim/ramps.ts',
  find: 'shares.sharers, now)',
  replace: 'Number.isFinite(shares.sharers) ? shares.sharers : shares.sharesAmong, now)',
  caughtBy: {
    file: 'test/engine/workers.test.ts',
    title: 'that join while a ramp lasts send one of its first step each',
  },
  simulated: { seeds: 3_000, scenario: 'newcomers-meet-ramp.json' },
}
