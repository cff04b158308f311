export const mutant = {
  says: 'Large bodies for hung endpoints fill the bytes of all.',
  joins: 'budget × bytes',
  file: 'src/engine/endpoints/budget.ts',
  find: "this.#leftFor(trustIn(record, now), 'bytes', mostBytes)",
  replace: 'free',
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'E10 is one of 20 whose endpoints hang' },
}
