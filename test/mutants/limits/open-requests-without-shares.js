export const mutant = {
  says: 'One application can have all the open requests.',
  joins: 'open requests × applications',
  file: 'src/engine/endpoints/budget.ts',
  find: '(ofApplication) => ofApplication)',
  replace: '() => this.#most.onWire - this.#held.all.onWire)',
  caughtBy: {
    file: 'test/engine/budget.test.ts',
    title: 'one application has at most four fifths of the open requests',
  },
}
