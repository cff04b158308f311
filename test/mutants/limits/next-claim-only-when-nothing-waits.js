export const mutant = {
  says: 'The next deliveries of an endpoint are claimed only when hardly any of the last claim wait.',
  joins: 'claim × window',
  file: 'src/engine/claim/schedule.ts',
  find: '* record.depth) / 2)',
  replace: '* record.depth) / 8)',
  caughtBy: {
    file: 'test/engine/attempts.test.ts',
    title: 'the next deliveries are claimed while a window of them still waits',
  },
}
