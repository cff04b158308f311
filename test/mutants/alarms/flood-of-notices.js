export const mutant = {
  says: 'Each dead letter of a flood has an operational webhook of its own.',
  joins: 'dead letters × operational webhooks',
  file: 'src/engine/upkeep/attempt-notices.ts',
  find: 'this.#left -= 1',
  replace: '',
  caughtBy: { file: 'test/engine/alarms.test.ts', title: 'are told of one by one up to thirty a minute' },
}
