export const mutant = {
  says: 'The second of two sends that wait at the same time is never ended.',
  joins: 'deadline × one timer',
  file: 'src/engine/send/deadlines.ts',
  find: 'this.#disarm = this.#clock.after(leftMs, () => this.#expire())',
  replace: 'void leftMs',
  caughtBy: { file: 'test/engine/deadlines.test.ts', title: 'each send has ten seconds of its own' },
}
