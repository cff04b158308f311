export const mutant = {
  says: 'Workers that could not be seen while the store was away are forgotten.',
  joins: 'presence × failing store',
  file: 'src/engine/upkeep/presence.ts',
  find: '(this.#seenAt ?? now) - goneAfterMs',
  replace: 'now - goneAfterMs',
  caughtBy: { file: 'test/engine/workers.test.ts', title: 'a store that does not hear the beats' },
}
