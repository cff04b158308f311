export const mutant = {
  says: 'An alarm goes on and off around its threshold.',
  joins: 'alarm × recovery',
  file: 'src/core/alarms/alarm.ts',
  find: 'value > (before >= level ? recoversAt(threshold) : threshold)',
  replace: 'value > threshold',
  caughtBy: { file: 'test/core/alarms.test.ts', title: 'just below its threshold is not resolved' },
}
