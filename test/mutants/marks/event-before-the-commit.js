export const mutant = {
  says: 'A delivery is told before it is stored.',
  joins: 'event × commit',
  file: 'src/engine/attempt/attempts.ts',
  find: 'const marked = await this.#marks.store(settled)',
  replace: "this.#marks.emit(finished.claim, settled, 'marked')\n    const marked = await this.#marks.store(settled)",
  caughtBy: { file: 'test/engine/attempts.test.ts', title: 'are emitted after the commit' },
}
