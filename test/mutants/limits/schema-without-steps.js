export const mutant = {
  says: 'The check of a JSON Schema counts its steps, and heeds no limit.',
  joins: 'schemas × events',
  file: 'src/core/json-schema/cost.ts',
  find: 'if (this.#steps > this.#mostSteps)',
  replace: 'if (this.#steps < 0)',
  caughtBy: { file: 'test/core/json-schema.test.ts', title: 'is applied in so many steps, and no more' },
}
