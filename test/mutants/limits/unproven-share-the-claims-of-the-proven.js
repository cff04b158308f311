export const mutant = {
  says: 'Endpoints that something reached lately wait for the claims of those that nothing has reached.',
  joins: 'claim × unproven endpoints',
  file: 'src/engine/claim/schedule.ts',
  find: 'return trustIn(record, clock.now())',
  replace: "return trustIn(record, clock.now()) && 'proven'",
  caughtBy: {
    file: 'test/engine/schedule.test.ts',
    title: 'an endpoint that something reached lately does not wait',
  },
}
