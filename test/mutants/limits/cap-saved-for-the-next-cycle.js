export const mutant = {
  says: 'What a cycle has left of its cap is added to the next one\'s.',
  joins: 'cap × cycle',
  file: 'src/engine/claim.ts',
  find: 'this.#cycleLeft = perCycle ?? Number.POSITIVE_INFINITY\n    try {\n      await this.#claim()\n    } finally {\n      if (perCycle !== null) this.#cycleLeft = 0',
  replace: 'this.#cycleLeft = perCycle === null ? Number.POSITIVE_INFINITY : perCycle - this.#cycleLeft\n    try {\n      await this.#claim()\n    } finally {\n      if (perCycle !== null) this.#cycleLeft = -this.#cycleLeft',
  caughtBy: { file: 'test/acceptance/uc-0270-cap.test.ts', title: 'UC-0270-A1' },
}
