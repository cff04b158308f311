export const mutant = {
  says: 'An endpoint that takes seconds to answer holds as much as one that answers at once.',
  joins: 'budget × slow endpoints',
  file: 'src/engine/attempt/attempts.ts',
  find: 'record.wasSlow = isSlow(attempted)',
  replace: 'record.wasSlow = isSlow(attempted) && false',
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'an endpoint that takes a second or more' },
}
