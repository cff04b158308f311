export const mutant = {
  says: "What a cycle has left of its cap is added to the next one's.",
  joins: 'cap × cycle',
  file: 'src/engine/claim/claim.ts',
  find: 'this.#cycleLeft = perCycle ?? Number.POSITIVE_INFINITY\n    const claims = await Promise.allSettled(rings.map((ring) => this.#claim(ring)))\n    if (perCycle !== null) this.#cycleLeft = 0',
  replace:
    'this.#cycleLeft = perCycle === null ? Number.POSITIVE_INFINITY : perCycle - this.#cycleLeft\n    const claims = await Promise.allSettled(rings.map((ring) => this.#claim(ring)))\n    if (perCycle !== null) this.#cycleLeft = -this.#cycleLeft',
  caughtBy: { file: 'test/acceptance/uc-0270-cap.test.ts', title: 'UC-0270-A1' },
}
