export const mutant = {
  says: 'A send waits for its store for as long as that takes.',
  joins: 'send × dead store',
  file: 'src/engine/send/waiting-sends.ts',
  find: 'const deadline = this.#deadlines.begin(fail)',
  replace: 'const deadline = this.#deadlines.begin(() => undefined)',
  caughtBy: { file: 'test/engine/deadlines.test.ts', title: 'a send that the store has not begun' },
}
