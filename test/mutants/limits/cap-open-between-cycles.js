export const mutant = {
  says: 'What a cycle has left of its cap is used before the next one.',
  joins: 'cap × cycle',
  file: 'src/engine/claim/claim.ts',
  find: 'if (perCycle !== null) this.#cycleLeft = 0',
  replace: 'void perCycle',
  caughtBy: { file: 'test/acceptance/uc-0270-cap.test.ts', title: 'UC-0270-A1' },
}
