export const mutant = {
  says: 'Large bodies for hung endpoints fill the bytes of all.',
  joins: 'budget × bytes',
  file: 'src/engine/endpoints/budget.ts',
  find: 'this.#most[what] * partOf[group]',
  replace: "this.#most[what] * (what === 'bytes' ? 1 : partOf[group])",
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'E10 is one of 20 whose endpoints hang' },
}
