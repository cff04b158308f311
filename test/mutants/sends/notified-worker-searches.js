export const mutant = {
  says: 'A worker searches for due rows though the notification names the endpoints.',
  joins: null,
  file: 'src/engine/claim/lookout.ts',
  find: 'if (hint === null) this.#look()',
  replace: 'if (hint === null || hint.length > 0) this.#look()',
  caughtBy: {
    file: 'test/engine/notify.test.ts',
    postgres: true,
    title: 'a notice names the endpoints: the worker does not search for them',
  },
}
