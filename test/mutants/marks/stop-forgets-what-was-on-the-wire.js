export const mutant = {
  says: 'What a stop gives back from the wire is not on record.',
  joins: 'stop × record',
  file: 'src/engine/attempt/attempts.ts',
  find: 'interrupted: interrupted(delivery.leaseEpoch),',
  replace: 'interrupted: delivery.leaseEpoch < 0 ? interrupted(delivery.leaseEpoch) : undefined,',
  caughtBy: { file: 'test/engine/stop.test.ts', title: 'gives back after the grace' },
}
