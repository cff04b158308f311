export const mutant = {
  says: 'One application can have all the open requests.',
  joins: 'open requests × applications',
  file: 'src/engine/endpoints/budget.ts',
  find: "Math.min(ofApplication, this.#leftFor(trustIn(record, now), 'onWire', openRequests))",
  replace: "Math.min(free, this.#leftFor(trustIn(record, now), 'onWire', openRequests), ofApplication + free)",
  caughtBy: {
    file: 'test/engine/budget.test.ts',
    title: 'one application has at most four fifths of the open requests',
  },
}
