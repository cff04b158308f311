export const mutant = {
  says: 'A send waits for its store for as long as that takes.',
  joins: 'send × dead store',
  file: 'src/engine/outbox.ts',
  find: 'await Promise.race([this.#store(outgoing, deadline), deadline.passed])',
  replace: 'await this.#store(outgoing, deadline)',
  caughtBy: { file: 'test/engine/deadlines.test.ts', title: 'a send that the store has not begun' },
}
