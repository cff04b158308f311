export const mutant = {
  says: 'A newcomer claims before it knows of the others.',
  joins: 'joining workers × pool',
  file: 'src/engine/upkeep/presence.ts',
  find: 'await this.#beating\n  }\n\n  async stop',
  replace: 'void this.#beating\n  }\n\n  async stop',
  caughtBy: { file: 'test/engine/workers.test.ts', title: 'a newcomer knows of the others' },
}
