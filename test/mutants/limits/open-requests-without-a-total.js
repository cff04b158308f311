export const mutant = {
  says: 'A process opens any number of requests at once.',
  joins: null,
  file: 'src/engine/attempt/window-queue.ts',
  find: ' && budget.requestsFor(record, engine.clock.now()) > 0',
  replace: ' && budget.requestsFor(record, engine.clock.now()) >= 0',
  caughtBy: { file: 'test/engine/budget.test.ts', title: 'no more requests than openRequests are open' },
}
