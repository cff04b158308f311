export const mutant = {
  says: 'A mark that comes after a takeover changes the row of the new owner.',
  joins: 'late mark × fencing',
  file: 'src/testing/memory/queue/mark.ts',
  find: 'const delivery = heldBy(state, owner, settled)',
  replace: 'const delivery = heldBy(state, owner, settled) ?? state.deliveries.get(settled.deliveryId)',
  caughtBy: {
    file: 'test/simulation/scenarios.test.ts',
    title: 'the world of %s keeps every promise',
    row: 'e12-one-send-is-recorded-twice.json',
  },
}
